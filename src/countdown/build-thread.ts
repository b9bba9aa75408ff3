// The thread that builds one template and ends: drawing and compressing would hold up every request meanwhile.
import { parentPort, workerData } from 'node:worker_threads'
import { buildTemplate } from './build.ts'
import { openTypefaces } from './fonts.ts'
import type { Build } from './templates.ts'

const { style, language } = workerData as Build
const template = buildTemplate(style, language, openTypefaces(style.font, language))
parentPort?.postMessage(template, [template.buffer])
