import { NativeSelect } from '@mantine/core'
import { useWords } from '../../../language.ts'
import type { useMailService } from './use-mail-service.ts'
import { words } from './words.ts'

type Props = { of: ReturnType<typeof useMailService>; disabled?: boolean }

/** Which service's merge tags the HTML and the headings of the export are in. */
export function MailServiceSelect({ of: { service, services, choose }, disabled = false }: Props) {
  const text = useWords(words)
  const known = services.filter(({ id }) => id !== 'other').map(({ id, name }) => ({ value: id, label: name }))
  return (
    <NativeSelect
      label={text.service}
      data={[...known, { value: 'other', label: text.other }]}
      value={service}
      maw={320}
      disabled={disabled}
      onChange={(event) => choose(event.currentTarget.value)}
    />
  )
}
