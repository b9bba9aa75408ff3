import { type CSSVariablesResolver, createTheme } from '@mantine/core'

/**
 * Text that is less important keeps a contrast of 4.5 to 1 with what stands behind it (WCAG 2.2, 1.4.3); the ring of the
 * focus and the borders of fields keep one of 3 to 1 (1.4.11).
 */
export const readable: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--focus': 'var(--mantine-primary-color-filled)',
    '--field-border': 'var(--mantine-color-gray-6)',
    '--mantine-color-dimmed': '#56606b',
    '--mantine-color-placeholder': '#6a737d',
    '--mantine-color-body': '#fbfbfd',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-violet-light-color': '#5028b8',
    '--mantine-color-red-light-color': '#a61e1e',
    '--mantine-color-teal-outline': '#08684c',
    '--mantine-color-orange-outline': '#a83c00',
    '--mantine-color-red-outline': '#c92a2a',
    '--mantine-color-gray-outline': '#495057',
    '--mantine-color-blue-outline': '#1864ab',
  },
  dark: {
    '--focus': 'var(--mantine-color-violet-4)',
    '--field-border': 'var(--mantine-color-dark-2)',
    '--mantine-color-dimmed': '#a9b0b8',
    '--mantine-color-placeholder': '#9aa2ab',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-violet-light-color': '#d0bfff',
    '--mantine-color-red-light-color': '#ffa8a8',
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
  // What Mantine makes the head of a dialog is for assistive programs the head of the page, which has one.
  components: {
    Modal: { defaultProps: { attributes: { header: { role: 'none' } } } },
    // Reading begins with its heading, and not with the button that closes it.
    Drawer: {
      defaultProps: {
        position: 'right',
        attributes: { header: { role: 'none' }, title: { tabIndex: -1, 'data-autofocus': true } },
      },
    },
  },
})
