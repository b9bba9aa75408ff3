// The shop's pages: a sign-up, an inbox with the mail that follows, and the offer with the widget.
import { hash, randomBytes } from 'node:crypto'
import { escaped } from '../../core/html.ts'
import type { Language } from '../../core/offer.ts'

export type Mail = { email: string; link: string; timer: string; deadlineInWords: string }

const words = {
  en: {
    shop: 'Autumn School',
    otherLanguage: 'Polski',
    steps: ['Sign up', 'Open the mail', 'Watch it end'],
    signUpTitle: 'The autumn painting course at half price',
    signUpText: 'Leave your email. From that moment the offer is yours for one minute.',
    email: 'Email',
    signUp: 'Get my offer',
    refused: 'Please enter an email address such as name@example.com, without accents.',
    signUpNote: 'Nothing is sent anywhere: the next page shows the mail that your mail service would send.',
    inbox: 'Inbox',
    to: 'To',
    subject: 'Your minute has begun',
    preview: 'The autumn course is yours at half price.',
    open: 'Open this mail',
    mailText:
      'Twelve evenings, from charcoal to oil, at half price. The offer is yours alone, and it ends when your time does.',
    until: 'It ends on',
    see: 'See my offer',
    mailNote:
      'Link, image and deadline come from the API’s answer. Reload the page and open the mail again: the image shows the time left then.',
    offerTitle: 'The autumn painting course',
    offerText: 'Twelve evenings, from charcoal to oil. Everything you paint with is included.',
    price: '€120',
    fullPrice: '€240',
    running: 'Your price ends in',
    buy: 'Buy at half price',
    thanks: 'Thank you, the course is yours',
    bought:
      'The shop has told Lastcall of the order, and that ended your offer: go back, and it is closed. The results of the campaign in the panel show how long before the end you bought.',
    over: 'Your offer is over',
    overText: 'The course costs €240 again. Follow the link of the mail once more, or open the mail: it stays over.',
    gated:
      'Before the shop sends this page, it asks the gate who is there. Without a link you get the sign-up page, and after the deadline another page, even with scripts off.',
    again: 'Begin again with another email',
  },
  pl: {
    shop: 'Jesienna Szkoła',
    otherLanguage: 'English',
    steps: ['Zapisz się', 'Otwórz e-mail', 'Zobacz koniec'],
    signUpTitle: 'Jesienny kurs malarstwa za pół ceny',
    signUpText: 'Zostaw swój e-mail. Od tej chwili oferta jest Twoja przez jedną minutę.',
    email: 'E-mail',
    signUp: 'Odbierz ofertę',
    refused: 'Podaj adres e-mail w postaci nazwa@example.com, bez polskich znaków.',
    signUpNote: 'Nic nie zostanie wysłane: następna strona pokaże wiadomość, którą wysłałby Twój system mailingowy.',
    inbox: 'Odebrane',
    to: 'Do',
    subject: 'Twoja minuta już biegnie',
    preview: 'Kurs jesienny jest Twój za pół ceny.',
    open: 'Otwórz tę wiadomość',
    mailText:
      'Dwanaście wieczorów, od węgla po olej, za pół ceny. Oferta jest tylko Twoja i kończy się razem z Twoim czasem.',
    until: 'Kończy się',
    see: 'Zobacz moją ofertę',
    mailNote:
      'Link, obrazek i termin pochodzą z odpowiedzi API. Odśwież stronę i otwórz wiadomość ponownie: obrazek pokaże czas, który wtedy pozostał.',
    offerTitle: 'Jesienny kurs malarstwa',
    offerText: 'Dwanaście wieczorów, od węgla po olej. Wszystko, czym się maluje, jest w cenie.',
    price: '480\u00a0zł',
    fullPrice: '960\u00a0zł',
    running: 'Do końca Twojej oferty',
    buy: 'Kup za pół ceny',
    thanks: 'Dziękujemy, kurs jest Twój',
    bought:
      'Sklep zgłosił zamówienie w Lastcall i to zakończyło Twoją ofertę: wróć, a będzie zamknięta. Wyniki kampanii w panelu pokazują, ile czasu przed końcem kupiono.',
    over: 'Twoja oferta się skończyła',
    overText:
      'Kurs znów kosztuje 960\u00a0zł. Wejdź jeszcze raz przez link z wiadomości albo ją otwórz: koniec pozostaje końcem.',
    gated:
      'Zanim sklep wyśle tę stronę, pyta bramkę, kto przyszedł: bez linku pokazuje zapis, a po terminie inną stronę, także przy wyłączonych skryptach.',
    again: 'Zacznij od nowa z innym adresem',
  },
}

/** With another email each time, ready to send: one that was used has had its minute. Or with the one that was refused. */
export function signUpPage(language: Language, refused?: string): string {
  const t = words[language]
  const value = refused ?? `ada-${randomBytes(3).toString('hex')}@example.com`
  const isRefused = refused !== undefined
  const state = isRefused ? 'aria-invalid="true" aria-describedby="refused" autofocus' : ''
  return page(language, 1, t.signUpTitle, {
    main: `<section class="card"><h1>${t.signUpTitle}</h1><p class="lead">${t.signUpText}</p>
<form method="post" novalidate><label for="email">${t.email}</label><div class="row">
<input id="email" name="email" type="email" maxlength="254" autocomplete="off" value="${escaped(value)}" ${state}>
<button class="button">${t.signUp}</button></div>
${isRefused ? `<p id="refused" class="refused">${t.refused}</p>` : ''}</form></section><p class="note">${t.signUpNote}</p>`,
  })
}

/** The image is fetched when the mail is opened, as in most mail programs. */
export function mailPage(language: Language, mail: Mail): string {
  const t = words[language]
  const link = escaped(mail.link)
  const deadline = escaped(mail.deadlineInWords)
  return page(language, 2, t.inbox, {
    main: `<h1>${t.inbox}</h1><details class="card mail"><summary><span class="face" aria-hidden="true">${t.shop[0]}</span>
<span class="head"><strong>${t.shop}</strong><span class="subject">${t.subject}</span><span class="quiet preview">${t.preview}</span></span>
<span class="button open">${t.open}</span></summary>
<div class="letter"><p class="quiet">${t.to}: ${escaped(mail.email)}</p><p>${t.mailText}</p>
<a href="${link}"><img src="${escaped(mail.timer)}" width="600" height="140" loading="lazy" alt="${t.until} ${deadline}"></a>
<p>${t.until} <strong>${deadline}</strong>.</p><p><a class="button" href="${link}">${t.see}</a></p></div></details>
<p class="note">${t.mailNote}</p>`,
  })
}

/** As any customer's page: the widget's tag, and elements that are marked. */
export function offerPage(language: Language, campaignId: number): string {
  const t = words[language]
  return page(language, 3, t.offerTitle, {
    head: `<script async src="../../widget/v1.js" data-campaign="${campaignId}"></script>`,
    main: `<section class="card"><div data-lastcall="offer"><h1>${t.offerTitle}</h1><p class="lead">${t.offerText}</p>
<p class="price"><strong>${t.price}</strong> <s>${t.fullPrice}</s></p>
<div class="running" data-lastcall="running" hidden><p class="until">${t.running}</p><div class="clock" data-lastcall="countdown"></div></div>
<form method="post" action="buy"><button class="button">${t.buy}</button></form></div>
<div role="status"><div data-lastcall="expired" hidden>${ending(language, t.over, t.overText)}</div></div></section>
<p class="note">${t.gated}</p>`,
  })
}

function ending(language: Language, title: string, text: string): string {
  const again = `<p><a class="button" href="./">${words[language].again}</a></p>`
  return `<h1>${title}</h1><p class="lead">${text}</p>${again}`
}

/** Where the offer is over, or was taken. */
export function endPage(language: Language, end: 'closed' | 'thanks'): string {
  const { over, overText, thanks, bought } = words[language]
  const [title, text] = end === 'closed' ? [over, overText] : [thanks, bought]
  return page(language, 3, title, { main: `<section class="card">${ending(language, title, text)}</section>` })
}

/** What the course costs at half price. */
export const prices = { en: { amount: '120.00', currency: 'EUR' }, pl: { amount: '480.00', currency: 'PLN' } } as const

const style = `
*{box-sizing:border-box}
body{margin:0;background:#faf6f1;color:#1f2937;font:1.0625rem/1.6 system-ui,sans-serif}
a{color:#9a3412}
:focus-visible{outline:3px solid #1d4ed8;outline-offset:2px}
.top{display:flex;justify-content:space-between;align-items:center;max-width:46rem;margin:0 auto;padding:1.25rem}
.shop{color:inherit;font-weight:700;text-decoration:none}
ol{display:flex;gap:.5rem 1.25rem;flex-wrap:wrap;max-width:46rem;margin:0 auto;padding:0 1.25rem;list-style:none;counter-reset:step;color:#57606f;font-size:.9375rem}
li{counter-increment:step}
li::before{content:counter(step);display:inline-grid;place-items:center;width:1.6em;height:1.6em;margin-right:.5em;border-radius:50%;background:#e7ded3;color:#1f2937;font-size:.85em;font-weight:700}
li[aria-current]{color:#1f2937;font-weight:600}
li[aria-current]::before{background:#9a3412;color:#fff}
main{max-width:46rem;margin:0 auto;padding:1.5rem 1.25rem 4rem}
@media(min-width:48rem){.top{padding-top:3rem}}
h1{margin:0 0 .75rem;font-size:clamp(1.6rem,5vw,2.25rem);line-height:1.2;letter-spacing:-.01em;text-wrap:balance}
p{margin:0 0 1rem}
.card{background:#fff;border:1px solid #eadfd3;border-radius:1rem;padding:clamp(1.25rem,5vw,2.5rem);box-shadow:0 1px 2px #1f29370d,0 8px 24px #1f29370d}
.lead{font-size:1.1875rem;text-wrap:pretty}
.note,.quiet{color:#57606f}
.note{margin:1.25rem 0;font-size:.9375rem;text-wrap:pretty}
label{font-weight:600}
.row{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:.35rem}
input{flex:1 1 14rem;min-width:0;padding:.7rem .9rem;border:1px solid #857a6c;border-radius:.6rem;font:inherit}
.button{display:inline-block;padding:.7rem 1.4rem;border:0;border-radius:.6rem;background:#9a3412;color:#fff;font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer}
.button:hover{background:#7c2d12}
.refused{margin:.6rem 0 0;color:#b91c1c}
summary{list-style:none;cursor:pointer}
summary::-webkit-details-marker{display:none}
.mail{padding:0}
.mail>summary{display:flex;align-items:center;flex-wrap:wrap;gap:.9rem;padding:1.25rem;border-radius:1rem}
.face{flex:none;display:grid;place-items:center;width:2.75rem;height:2.75rem;border-radius:50%;background:#9a3412;color:#fff;font-weight:700}
.head{flex:1 1 12rem;display:grid;line-height:1.4}
.subject{font-weight:600}
.mail[open] .open,.mail[open] .preview{display:none}
.letter{padding:1.25rem clamp(1.25rem,5vw,2.5rem) 1.5rem;border-top:1px solid #eadfd3;overflow-wrap:anywhere}
img{display:block;width:100%;max-width:600px;height:auto;border:0}
.card .letter img{margin-bottom:1rem}
.price{font-size:1.125rem}
.price strong{font-size:2rem}
.price s{color:#57606f}
.until{margin:0 0 .5rem;font-weight:600}
.clock{display:flex;max-width:24rem;--lastcall-gap:.4rem;--lastcall-direction:column;--lastcall-align:center;--lastcall-box-background:#1f2937;--lastcall-box-color:#fff;--lastcall-box-padding:.6rem .8rem;--lastcall-box-radius:.6rem;--lastcall-number-size:1.9rem;--lastcall-label-size:.8rem}
.clock>span{flex:1 1 0;line-height:1.2}
.card :last-child{margin-bottom:0}
.running{margin-bottom:1.5rem}`
const styleHash = hash('sha256', style, 'base64')

/** Links and images come from the public address, which need not be the one that the page was opened under. */
export function securityOf(publicUrl: string): string {
  const { origin } = new URL(publicUrl)
  return `default-src 'none'; style-src 'sha256-${styleHash}'; script-src 'self'; connect-src 'self'; img-src 'self' ${origin}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`
}

function page(language: Language, step: 1 | 2 | 3, title: string, { head = '', main = '' }): string {
  const { shop, otherLanguage, steps } = words[language]
  const other = language === 'en' ? 'pl' : 'en'
  // The mail stands one folder deeper than the other pages.
  const up = step === 2 ? '../' : './'
  const items = steps.map((text, index) => `<li${index + 1 === step ? ' aria-current="step"' : ''}>${text}</li>`)
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${style}</style>${head}</head>
<body><header><div class="top"><a class="shop" href="${up}">${shop}</a><a href="${up}../${other}/" lang="${other}" hreflang="${other}">${otherLanguage}</a></div><ol>${items.join('')}</ol></header>
<main>${main}</main></body></html>`
}
