import { type ReactNode, useEffect, useState } from 'react'
import { firstLanguage, keepLanguage, LanguageContext } from '../language.ts'

export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(firstLanguage)
  useEffect(() => {
    document.documentElement.lang = language
    keepLanguage(language)
  }, [language])
  return <LanguageContext value={{ language, setLanguage }}>{children}</LanguageContext>
}
