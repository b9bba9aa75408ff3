import { type CSSVariablesResolver, createTheme, ModalHeader } from '@mantine/core'

/** Text that is less important keeps a contrast of 4.5 to 1 with what stands behind it (WCAG 2.2, 1.4.3). */
export const readable: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#56606b',
    '--mantine-color-placeholder': '#6a737d',
    '--mantine-color-body': '#fbfbfd',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-violet-light-color': '#5028b8',
    '--mantine-color-red-light-color': '#a61e1e',
    '--mantine-color-teal-outline': '#087f5b',
    '--mantine-color-orange-outline': '#a83c00',
    '--mantine-color-red-outline': '#c92a2a',
    '--mantine-color-gray-outline': '#495057',
    '--mantine-color-blue-outline': '#1864ab',
  },
  dark: {
    '--mantine-color-dimmed': '#a9b0b8',
    '--mantine-color-placeholder': '#9aa2ab',
    '--mantine-color-error': '#ff8787',
  },
})

export const theme = createTheme({
  primaryColor: 'violet',
  primaryShade: { light: 8, dark: 8 },
  defaultRadius: 'md',
  autoContrast: true,
  respectReducedMotion: true,
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  headings: { fontWeight: '650' },
  components: {
    // A dialog's head is no banner of the page (WAI-ARIA 1.2, banner).
    ModalHeader: ModalHeader.extend({ defaultProps: { role: 'none' } }),
  },
})
