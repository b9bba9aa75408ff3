// Imported before a test file whose tests do not look at the clock: it and its browser give way to those that do.
import { setPriority } from 'node:os'

setPriority(5)
