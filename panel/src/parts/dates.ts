// The library of dates with its look; loaded with the first part that needs it.
import '@mantine/dates/styles.css'
import './dates.css'
import 'dayjs/locale/pl.js'
