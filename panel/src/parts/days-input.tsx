import { DatePickerInput, type DatePickerInputProps } from '@mantine/dates'
import { useLanguage, useWords } from '../language.ts'
import { inWindow } from './dates.ts'
import { words } from './words.ts'

/** From one day to another, both included. */
export function DaysInput(props: Omit<DatePickerInputProps<'range'>, 'ref'>) {
  return (
    <DatePickerInput
      type="range"
      // The calendar is called by its field, which the library does not find otherwise.
      {...{ id: 'days', popoverProps: { id: 'days', ...inWindow } }}
      locale={useLanguage()}
      ariaLabels={useWords(words).calendarLabels}
      hideOutsideDates
      valueFormat="D MMM YYYY"
      allowSingleDateInRange
      {...props}
    />
  )
}
