import { type Exchange, send } from '../exchange.ts'
import { widgetAnswer, widgetScript } from './widget-script.ts'
import { sendWords } from './words-page.ts'

/** Answers GET and HEAD of every path below `/widget/`. */
export async function sendWidget(exchange: Exchange, path: string): Promise<void> {
  if (exchange.refused) {
    sendWords(exchange, 503)
    return
  }
  try {
    const answer = widgetAnswer(await widgetScript(), path, exchange.req.headers)
    if (answer === undefined) sendWords(exchange, 404)
    else send(exchange, answer.status, [...answer.headers, 'Referrer-Policy', 'no-referrer'], answer.body)
  } catch {
    sendWords(exchange, 503)
  }
}
