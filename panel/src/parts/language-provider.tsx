import { MantineThemeProvider } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import { firstLanguage, keepLanguage, LanguageContext } from '../language.ts'
import { sayFaultsIn } from './field-faults.ts'
import { words } from './words.ts'

export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(firstLanguage)
  useEffect(() => {
    document.documentElement.lang = language
    keepLanguage(language)
    return sayFaultsIn(language)
  }, [language])
  // The cross of every dialog and message: Mantine gives it no name.
  const theme = { components: { CloseButton: { defaultProps: { 'aria-label': words[language].close } } } }
  return (
    <LanguageContext value={{ language, setLanguage }}>
      <MantineThemeProvider theme={theme}>{children}</MantineThemeProvider>
    </LanguageContext>
  )
}
