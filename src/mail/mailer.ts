// The one file that sends mail, by the operator's SMTP server, and writes it as a file where there is none.
import type { SendMailOptions } from 'nodemailer'

/** Apart: the library would read the text `Ada: Team <…>` as a group, and drop the end of `Ada (news) <…>`. */
type Named = { name: string; address: string }
/** The server with its login, and who the mails are from. */
export type Smtp = { url: string; from: Named }
type Mail = { to: string; subject: string; text: string; html: string }

export type Mailer = ReturnType<typeof openMailer>

/** Of the cause it has codes alone, such as `EAUTH 535`: what a mail server says may name people. */
export class MailNotSent extends Error {
  override name = 'MailNotSent'
  readonly code: string

  constructor(code: string) {
    super('the mail server did not take the mail')
    this.code = code
  }
}

const timeouts = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 10_000, dnsTimeout: 5_000 }
/** For a whole mail: a server that answers a byte now and then would hold the request and a connection for ever. */
const mostMs = 30_000
/** What stands in a mail is never read from a file or fetched. */
const closed = { disableFileAccess: true, disableUrlAccess: true }

/** As a text, `joe@[t:,ada@example.com]` would be two addresses. */
const asOne = (address: string): Named => ({ name: '', address })

/** Loads the library with the first mail: it would take 7 % of each server's start. */
const transport = async (options: object) => (await import('nodemailer')).createTransport({ ...options, ...closed })

export function openMailer(smtp: Smtp | null) {
  const stopping = new AbortController()
  const behindAnswers = new Set<Promise<void>>()
  return {
    /** Whether there is a server to send by. */
    isOn: smtp !== null,
    /** Resolves once the server has taken the mail. @throws MailNotSent */
    async send(mail: Mail): Promise<void> {
      if (!smtp) return
      // The library writes blanks for these, which may be quoted: the mail would go to another mailbox.
      if (/[<>]/.test(mail.to)) throw new MailNotSent('EENVELOPE')
      try {
        const server = await transport({ ...timeouts, url: smtp.url })
        await server.sendMail({
          ...mail,
          to: asOne(mail.to),
          from: smtp.from,
          signal: AbortSignal.any([AbortSignal.timeout(mostMs), stopping.signal]),
        })
      } catch (error) {
        // The library's, then what it was before (ECONNREFUSED, say), or what the mail server answered.
        const { code, originalCode, responseCode } = error as Record<string, string | number | undefined>
        throw new MailNotSent([code ?? 'unknown', originalCode ?? responseCode ?? ''].join(' ').trim())
      }
    },
    /** Keeps the server from ending before this, which no answer waits for; it must not reject. */
    waitFor(work: Promise<void>): void {
      behindAnswers.add(work)
      work.finally(() => behindAnswers.delete(work))
    },
    /** Resolves once all that is waited for has ended. */
    close: () => Promise.all(behindAnswers),
    /** What the mail server has not taken by then is not sent. */
    giveUpIn: (milliseconds: number) => void setTimeout(() => stopping.abort(), milliseconds).unref(),
    /** The mail as an `.eml` file that mail programs open as a draft. */
    async write(mail: Mail): Promise<string> {
      const to = asOne(mail.to)
      const draft: SendMailOptions = { ...mail, to, from: smtp?.from ?? to, headers: { 'X-Unsent': '1' } }
      const file = await transport({ streamTransport: true, buffer: true, newline: 'windows' })
      const { message } = await file.sendMail(draft)
      return message.toString()
    },
  }
}
