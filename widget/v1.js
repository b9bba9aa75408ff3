// The widget: on a customer's page, shows the visitor how long the offer lasts, and ends it.
//
// The server minifies it, inside a function of its own (src/http/visitor/widget-worker.ts), to at most 6 kB compressed.
// So words cost: what a page can do itself is left to it.
//
// The rule above all others: when anything is missing, late or broken, the page stays as it was.

/**
 * @typedef {'none' | 'pending' | 'scheduled' | 'open' | 'expired'} State
 *
 * What the service answers; instants are milliseconds since 1970.
 * @typedef {object} Offer
 * @property {number} now the service's clock when it answered
 * @property {number} spentMs from the arrival of the question to then
 * @property {State} state
 * @property {number | null} opensAt
 * @property {number | null} deadline
 * @property {number | null} nextAt when the offer comes again by itself
 * @property {{ action: 'HIDE' | 'ZERO' | 'REDIRECT', redirectUrl?: string } | null} onExpiry
 * @property {boolean} known whether the ref that was sent names a lead of this campaign
 * @property {string | null} [lc] the ref of the lead that this very registration made
 *
 * @typedef {object} Campaign
 * @property {string} id
 * @property {string} base the service's public address
 * @property {Record<string, string | undefined>} settings of its script tag
 * @property {Offer} [offer] as last answered
 * @property {number} clock what to add to performance.now() to get the service's clock
 * @property {number} drift Date.now() less performance.now() with that answer: another one after a sleep
 * @property {number} askedAt performance.now() at that answer
 * @property {number} wayMs what of that round trip the service did not account for: the clock is known to half of it
 * @property {number} turn counts the questions: an answer to an earlier one comes too late
 * @property {boolean} [asking]
 * @property {boolean} [reported] whether this view of the page was reported as a visit
 * @property {ReturnType<typeof setTimeout> | undefined} [retry] the timer of the next try
 * @property {number} retryMs
 * @property {State} [state] as last shown
 * @property {number | null} [deadline] as last shown
 * @property {HTMLElement} [row] its line in the bar
 *
 * What pages get to see of a campaign.
 * @typedef {object} View
 * @property {string} campaign
 * @property {State | undefined} state undefined until the service has answered
 * @property {number | null} opensAt
 * @property {number | null} deadline
 * @property {() => number | null} remaining milliseconds left, null without a deadline
 *
 * @typedef {object} Lastcall
 * @property {(campaignId?: string | number) => View | null} get
 * @property {(event: 'start' | 'expire', listener: (view: View) => void) => void} on
 * @property {(email: string, campaignId?: string | number) => Promise<View>} register
 * @property {(given?: boolean) => void} consent
 * @property {() => void} scan
 */

/** @type {Campaign[]} in the order of their snippets or script tags; the first is that of elements that name none */
const campaigns = []

const isRef = /^[0-9a-f]{32}$/
const isId = /^\d+$/

/** A way to the service and back that took longer leaves its clock too uncertain. */
const roughMs = 1000

/** @typedef {Record<'ends' | 'thanks' | 'invalid' | 'closed' | 'busy' | 'failed', string>} Words */

/** By language, as the service gives them; undefined while they are on their way. @type {Record<string, Words | undefined>} */
const words = {
  // For when the service does not answer, too.
  en: {
    ends: 'Offer ends in',
    thanks: 'Thank you. You are registered.',
    invalid: 'Please enter a valid email address.',
    closed: 'This offer is not available at the moment.',
    busy: 'Too many attempts. Please try again later.',
    failed: 'That did not work. Please try again in a moment.',
  },
}

/** The languages of which there are words. */
const known = /^(en|pl|de|es|fr|it|nl|pt|cs|uk)\b/

/** Of what the service refuses, the words for people. @type {Record<string, keyof Words>} */
const refusals = { VALIDATION_ERROR: 'invalid', CAMPAIGN_NOT_PUBLISHED: 'closed', RATE_LIMITED: 'busy' }

/** @type {[string, number][]} */
const units = [
  ['day', 86400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
]

// :where() has no weight: whatever the page itself says of these elements wins. In the bar, which has a colour of its
// own, what it says of all paragraphs would be dark on dark, and of all asides and spans another box. What is over is
// hidden all the same: the two ids are nobody's, and weigh more than the page's own !important. What the keyboard
// reaches is scrolled to where the bar does not cover it. The trap lies above the window, since what lies beside it can
// be scrolled to where text runs from right to left.
const style = `
:is([data-lastcall],[data-lastcall=countdown]>span,#l#c)[hidden]{display:none!important}
[data-lastcall=bar],[data-lastcall=bar]>div,[data-lastcall=bar] p,:where([data-lastcall=bar]) p :is(span,b,small){all:unset}
[data-lastcall=bar]{display:block}
:where(:root:has([data-lastcall=bar])){scroll-padding-bottom:8em}
:where([data-lastcall=countdown]),:where([data-lastcall=bar]) p span{display:inline-flex;flex-wrap:wrap;gap:var(--lastcall-gap,.5em);font-variant-numeric:tabular-nums}
:where([data-lastcall=countdown]>span),:where([data-lastcall=bar]) p span>span{display:inline-flex;flex-direction:var(--lastcall-direction,row);align-items:var(--lastcall-align,baseline);gap:.3em;padding:var(--lastcall-box-padding,0);border-radius:var(--lastcall-box-radius,0);background:var(--lastcall-box-background,none);color:var(--lastcall-box-color,inherit)}
:where([data-lastcall=bar]) p b{font-weight:bolder}
:where([data-lastcall=countdown] b),:where([data-lastcall=bar]) p b{font-size:var(--lastcall-number-size,1em)}
:where([data-lastcall=countdown] small),:where([data-lastcall=bar]) p small{font-size:var(--lastcall-label-size,.85em)}
[data-lastcall=bar]>div{position:fixed;inset:auto 0 0;z-index:var(--lastcall-bar-layer,9999);box-sizing:border-box;padding:.7em 1em calc(.7em + env(safe-area-inset-bottom));background:var(--lastcall-bar-background,#14213d);color:var(--lastcall-bar-color,#fff);font:var(--lastcall-bar-font,1rem/1.4 system-ui,sans-serif);text-align:center;overflow-wrap:anywhere}
[data-lastcall=bar] :is(p,b,small){color:inherit!important}
[data-lastcall=bar] p{display:flex;flex-wrap:wrap;justify-content:center;align-items:baseline;gap:0 1em}
:where([data-lastcall=bar]) p span{justify-content:center;color:var(--lastcall-box-color,inherit)}
[data-lastcall=honeypot]{position:fixed!important;top:-999em!important}
@media print{[data-lastcall=bar]{display:none}}
`

// A form's fields stand in place of what it has by the same name: `<input name="closest">`.
const { appendChild, closest, getAttribute, matches, querySelector, toggleAttribute } = Element.prototype

const sheet = new CSSStyleSheet()
const bar = element('aside')
const barRows = bar.appendChild(element('div'))
bar.dataset.lastcall = 'bar'
// Turbo and others turn a page into the next one element by element. Without an id ours would become an aside of the page.
bar.id = 'lastcall-bar'

/** What stands in the elements that the widget fills. @type {WeakMap<Element, Element[]>} */
const filled = new WeakMap()
/** The names that the widget has given to countdowns, and to refs in buy links. @type {WeakMap<Element, string>} */
const names = new WeakMap()
/** The languages in which countdowns were written. @type {WeakMap<Element, string>} */
const languages = new WeakMap()

/** On what is hidden, its own display and priority: so a copy of it can be shown again too. */
const ownDisplay = '--lc-own-display'
/** What the widget has hidden, and not the page by its `hidden`. @type {WeakSet<Element>} */
const hiddenHere = new WeakSet()
/** The forms that are sending: a copy of one, which has its attributes, is not. @type {WeakSet<Element>} */
const sending = new WeakSet()

/** What is kept of the visitor: `client`, `lc`, and for campaign 1 `of1` and `not1`. @type {Record<string, string>} */
const kept = {}
/** @type {boolean | undefined} */
let consent
let mayKeep = true
/** What the storage had when it was last read. If it has that still, as where it is full, `kept` is newer. @type {string | undefined} */
let read
/** Where a page asks to wait, nothing is written into it before. */
let isLoaded = false
/** The ref that has to stay in the address, where it is new once only. */
let leftLc = ''
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer

/** @param {string} name */
function element(name) {
  return document.createElement(name)
}

// What is kept

function recall() {
  if (mayKeep)
    try {
      const before = read
      read = localStorage.getItem('lastcall') ?? ''
      // Where nothing is kept, this throws.
      if (read !== before) Object.assign(kept, JSON.parse(read))
    } catch {}
}

/**
 * Another tab may have written meanwhile, so that is read first.
 * @param {Record<string, string>} changes
 * @returns {true | void} true if the browser keeps them
 */
function keep(changes) {
  recall()
  Object.assign(kept, changes)
  if (mayKeep)
    try {
      localStorage.setItem('lastcall', JSON.stringify(kept))
      return true
    } catch {}
}

/** @param {string} name */
function ref(name) {
  return isRef.test(kept[name] ?? '') ? kept[name] : undefined
}

/** Takes the ref out of the address bar, unless it cannot be kept. Returns whether one has arrived. */
function readAddress() {
  const { search, hash, href } = location
  const lc = new URLSearchParams(search).get('lc') ?? ''
  if (!isRef.test(lc)) return false
  const isNew = lc !== leftLc
  leftLc = lc
  if (keep({ lc })) {
    const rest = without('lc', search)
    // A router of the page's may stand there, and break.
    try {
      history.replaceState(history.state, '', href.split(/[?#]/)[0] + (rest && `?${rest}`) + hash)
      leftLc = ''
    } catch {}
  }
  return isNew
}

/** The query without what is called so, the rest as the page wrote it. @param {string} name @param {string} search */
function without(name, search) {
  return search
    .slice(1)
    .split('&')
    .filter((pair) => !new URLSearchParams(pair).has(name))
    .join('&')
}

/** A browser that keeps nothing would get a fresh offer with each page, so it gets no id. */
function client() {
  if (!ref('client')) {
    const bytes = [...crypto.getRandomValues(new Uint8Array(16))]
    if (!keep({ client: bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('') })) delete kept.client
  }
  return kept.client
}

/** The refs that may name the visitor in this campaign, the newest first. @param {Campaign} c */
function refs(c) {
  const lc = ref('lc')
  const own = ref(`of${c.id}`)
  return [...new Set([lc === kept[`not${c.id}`] ? own : lc, own])].filter(Boolean)
}

/**
 * Notes whose lead the ref names. Where there is no offer at all, that says nothing against the ref.
 * @param {Campaign} c
 * @param {string | undefined} lc
 * @param {Offer} offer
 */
function remember(c, lc, offer) {
  const own = `of${c.id}`
  const not = `not${c.id}`
  if (lc && offer.known && (kept[own] !== lc || kept.lc === lc))
    keep({ [own]: lc, lc: kept.lc === lc ? '' : (kept.lc ?? '') })
  if (lc && !offer.known && offer.state !== 'none')
    keep({ [not]: lc, [own]: kept[own] === lc ? '' : (kept[own] ?? '') })
  return offer.known
}

// What the service says

/**
 * @param {Campaign} c
 * @param {'offer' | 'leads'} what
 * @param {object} body
 * @returns {Promise<Offer>}
 */
async function post(c, what, body) {
  // A plain string is sent as text/plain, which spares the browser a preflight.
  const json = await (
    await fetch(`${c.base}/visitor/v1/campaigns/${c.id}/${what}`, {
      method: 'POST',
      body: JSON.stringify(body),
      ...politely(),
    })
  ).json()
  if (!(json.now > 0)) throw Object.assign(Error(), json)
  return json
}

/** @param {Campaign} c */
async function ask(c) {
  const turn = ++c.turn
  clearTimeout(c.retry)
  c.retry = undefined
  recall()
  const [newest, other] = refs(c)
  let lc = newest
  c.asking = !!(lc || client())
  if (!c.asking) return
  // A browser that a program drives starts no offer.
  const visit = !document.hidden && !navigator.webdriver && !c.reported
  const before = c.offer?.state
  let isUntold = visit
  c.reported ||= visit
  try {
    if (other && !remember(c, lc, await post(c, 'offer', { lc, client: client(), visit: false }))) lc = other
    c.wayMs = Infinity
    // A slow round trip is tried again, on the open connection.
    for (let tries = 0; tries < 3 && c.wayMs > roughMs; tries++) {
      const sentAt = performance.now()
      const drift = Date.now() - sentAt
      // Which page it was: without query and fragment, which may hold what is nobody's business.
      const page = isUntold ? (location.origin + location.pathname).slice(0, 2048) : undefined
      const offer = await post(c, 'offer', { lc, client: client(), visit: isUntold, page })
      if (turn !== c.turn) return
      isUntold = false
      remember(c, lc, offer)
      // During an upgrade, an older node says no spentMs.
      take(c, offer, Math.max(0, performance.now() - sentAt - (offer.spentMs ?? 0)), drift)
    }
    c.retryMs = 2500
    // A new attempt that waits for a visit: this one, or the next time that the tab is seen. Before the first answer,
    // another visit may be on its way.
    const isNew = before && before !== 'pending' && c.offer?.state === 'pending'
    if (isNew && !visit) {
      c.reported = false
      seen()
    }
  } catch {
    if (isUntold) c.reported = false
    if (turn !== c.turn) return
    // Not all visitors at once when the service is back.
    c.retryMs = Math.min(c.retryMs * (1.5 + Math.random()), 300000)
    c.retry = setTimeout(ask, c.retryMs, c)
  } finally {
    if (turn === c.turn) c.asking = false
    // The newer question told of no visit, and may have been answered before this one began the attempt.
    else if (isUntold) ask(c)
  }
}

/**
 * @param {Campaign} c
 * @param {Offer} offer
 * @param {number} wayMs
 * @param {number} drift when the question was sent: a sleep since then makes the answer an old one
 */
function take(c, offer, wayMs, drift) {
  c.offer = offer
  if (wayMs < c.wayMs) {
    c.askedAt = performance.now()
    c.clock = offer.now + wayMs / 2 - c.askedAt
    c.drift = drift
    c.wayMs = wayMs
  }
  tick()
}

/**
 * performance.now() runs on when somebody sets the clock, but in some browsers not while the machine sleeps; Date
 * the other way round. Where they part by half a second, the service is asked again; so it is every hour, earlier
 * while every way to it was slow, and when the offer comes again.
 * @param {Campaign} c
 * @param {Offer} offer
 */
function isStale(c, { nextAt }) {
  const now = performance.now()
  return (
    Math.abs(Date.now() - now - c.drift) > 500 ||
    now - c.askedAt > (c.wayMs > roughMs ? 30000 : 3600000) ||
    // Not all visitors at once.
    (nextAt && now + c.clock >= nextAt + Math.random() * 5000)
  )
}

// What is shown

function tick() {
  clearTimeout(timer)
  settle()
  // Without a campaign there is nobody to ask, not even for words.
  if (!campaigns[0] || (!isLoaded && campaigns.some(({ settings }) => 'wait' in settings))) return
  for (const one of document.querySelectorAll('form[data-lastcall=form]')) prepare(one)
  // Turbo and programs that store pages keep a copy of the page with our bar in it, which nobody would end.
  for (const one of document.querySelectorAll('[data-lastcall=bar]')) if (one !== bar) one.remove()
  for (const one of document.querySelectorAll(
    '[hidden]:not([data-lastcall]),[role=timer]:not([data-lastcall=countdown])',
  ))
    release(/** @type {HTMLElement} */ (one))
  let nextMs = 1000
  for (const c of campaigns) {
    if (c.offer && !document.hidden && !c.asking && !c.retry && isStale(c, c.offer)) ask(c)
    const now = performance.now() + c.clock
    show(c, c.offer, now)
    // Instants are whole seconds.
    nextMs = Math.min(nextMs, 1000 - (now % 1000))
    // What the page has hidden until it is known whether there is an offer.
    if (c.offer || !c.asking) for (const one of elementsOf(c, '-cloak')) delete one.dataset.lastcallCloak
  }
  timer = setTimeout(tick, nextMs)
}

/**
 * @param {Offer} offer
 * @param {number} now
 * @returns {State}
 */
function stateAt({ state, opensAt, deadline }, now) {
  if (state !== 'open' && state !== 'scheduled') return state
  if (deadline && now >= deadline) return 'expired'
  return opensAt && now < opensAt ? 'scheduled' : 'open'
}

/**
 * While nothing is known, and where there is nothing to show, the page stays as it was, but for words that make no
 * sense without a time.
 * @param {Campaign} c
 * @param {Offer | undefined} offer
 * @param {number} now
 */
function show(c, offer, now) {
  const { deadline = null, onExpiry } = offer ?? {}
  const endsAt = deadline ?? 0
  const state = offer ? stateAt(offer, now) : 'none'
  const isUnknown = state === 'none' && !c.state
  const isZero = state === 'expired' && onExpiry?.action === 'ZERO'
  const isOver = state === 'expired' && !isZero
  const left =
    deadline !== null && (state === 'open' || isZero) ? Math.max(0, Math.ceil((endsAt - now) / 1000)) : undefined
  const hasNoTime = left === undefined
  /** @type {Record<string, boolean>} */
  const isHidden = {
    // When a campaign is withdrawn, these stay as last shown.
    ...(state !== 'none' && {
      offer: isOver || state === 'scheduled',
      expired: !isOver,
      scheduled: state !== 'scheduled',
    }),
    running: hasNoTime,
    countdown: hasNoTime,
    deadline: hasNoTime,
  }
  const marked = elementsOf(c, isUnknown ? '=running' : '')
  for (const one of marked) {
    const mark = getAttribute.call(one, 'data-lastcall') ?? ''
    const hidden = isHidden[mark]
    // Not by the property, which SVG lacks.
    if (hidden !== undefined) hide(one, hidden)
    if (hasNoTime) continue
    if (mark === 'countdown') count(one, left, endsAt)
    if (mark === 'deadline') write(one, inWords(endsAt, languageOf(one)))
  }
  if (isUnknown) return
  showInBar(c, marked.some((one) => matches.call(one, '[data-lastcall=countdown]')) ? undefined : left)
  announce(c, state, deadline)
}

/**
 * A page's own style attribute, and its layers, would win over our sheet; an open dialog would keep the rest of the page
 * from being used.
 * @param {HTMLElement} one
 * @param {boolean} hidden
 */
function hide(one, hidden) {
  if (!hidden) hiddenHere.delete(one)
  else if (!matches.call(one, '[hidden]')) hiddenHere.add(one)
  toggleAttribute.call(one, 'hidden', hidden)
  // A form's field may stand in the style's place.
  const said = one.style.getPropertyValue?.(ownDisplay)
  if (!hidden && said) {
    one.style.setProperty('display', .../** @type {[string, string]} */ (said.split(',')))
    one.style.removeProperty(ownDisplay)
  }
  // Only of what is open: browsers of 2022 throw at `:modal`.
  const dialog = /** @type {HTMLDialogElement} */ (one)
  if (hidden && dialog.open && matches.call(one, 'dialog:modal')) dialog.close()
  if (hidden && getComputedStyle(one).display !== 'none' && one.style.setProperty) {
    one.style.setProperty(ownDisplay, `${one.style.display},${one.style.getPropertyPriority('display')}`)
    one.style.setProperty('display', 'none', 'important')
  }
}

/**
 * React and the like make what the page shows next of an element that they have: it would stay hidden, or keep a
 * countdown that stands still.
 * @param {HTMLElement} one
 */
function release(one) {
  if (hiddenHere.has(one)) hide(one, false)
  if (!languages.delete(one)) return
  for (const part of filled.get(one) ?? []) if (part.parentNode === one) part.remove()
  one.removeAttribute('role')
  one.removeAttribute('aria-live')
  if (one.getAttribute('aria-label') === names.get(one)) one.removeAttribute('aria-label')
}

/** @param {Campaign} c @param {string} mark the end of an attribute's name, or its value @returns {HTMLElement[]} */
function elementsOf(c, mark = '') {
  /** @type {NodeListOf<HTMLElement>} */
  const all = document.querySelectorAll(`[data-lastcall${mark}]`)
  return [...all].filter((one) => campaignOf(one) === c && !bar.contains(one))
}

/**
 * Pages have that attribute for purposes of their own too; what is no id says nothing.
 * @param {Element | null} one
 * @returns {Campaign | undefined}
 */
function campaignOf(one) {
  const named = one && closest.call(one, '[data-campaign]')
  if (!named) return find()
  const id = getAttribute.call(named, 'data-campaign') ?? ''
  return isId.test(id) ? find(id) : campaignOf(named.parentElement)
}

/** @param {unknown} id without it, the first campaign */
function find(id = campaigns[0]?.id) {
  return campaigns.find((c) => c.id === String(id))
}

/**
 * A timer that readers can ask, and that says nothing by itself. Its name is that of the page, or a few words of ours;
 * in a language for which we have none, the deadline.
 * @param {HTMLElement} one
 * @param {number} left seconds
 * @param {number} [deadline] where the page has given no name
 */
function count(one, left, deadline = 0) {
  const language = languageOf(one)
  let parts = filled.get(one)
  if (!parts?.every((part) => part.parentNode === one && part.children[1]) || languages.get(one) !== language) {
    parts = units.map(() => {
      const part = element('span')
      part.append(element('b'), ' ', element('small'))
      return part
    })
    one.replaceChildren(...parts.flatMap((part) => [part, ' ']))
    one.setAttribute('role', 'timer')
    one.setAttribute('aria-live', 'off')
    filled.set(one, parts)
    languages.set(one, language)
  }
  const said = one.getAttribute('aria-label')
  const name = (known.test(language) ? wordsFor(one)?.ends : inWords(deadline, language)) ?? ''
  // Ours is written again, since the deadline may be another one.
  if (!said || said === names.get(one)) {
    one.setAttribute('aria-label', name)
    names.set(one, name)
  }
  let rest = left
  units.forEach(([unit, seconds], index) => {
    const number = Math.floor(rest / seconds)
    rest %= seconds
    const part = /** @type {HTMLElement} */ (parts[index])
    part.hidden = !index && !number
    if (write(part.children[0], String(number).padStart(index ? 2 : 1, '0')))
      write(part.children[1], unitName(unit, number, language))
  })
}

/**
 * @param {string} unit
 * @param {number} number
 * @param {string} language
 */
function unitName(unit, number, language) {
  const parts = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).formatToParts(number)
  // Hebrew and Arabic have a word for two hours, which says the number itself.
  if (number === 2 && !parts[1]) return unitName(unit, 3, language)
  return parts.find((part) => part.type === 'unit')?.value ?? unit
}

/** With seconds where it has some. @param {number} instant @param {string} language */
function inWords(instant, language) {
  return new Date(instant).toLocaleString(language, {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    second: instant % 60000 ? '2-digit' : undefined,
    timeZoneName: 'short',
  })
}

/** Returns whether the text was another one. @param {Element | undefined} one @param {string} text */
function write(one, text) {
  if (!one || one.textContent === text) return false
  one.textContent = text
  return true
}

/** Some pages write it as `pl_PL`. @param {Element} one */
function languageOf(one) {
  try {
    const written = getAttribute.call(closest.call(one, '[lang]') ?? one, 'lang') || 'en'
    return String(new Intl.Locale(written.replaceAll('_', '-')))
  } catch {
    return 'en'
  }
}

/** In the language of the element; undefined while they are on their way. @param {Element} one */
function wordsFor(one) {
  const [language = 'en'] = known.exec(languageOf(one)) ?? []
  if (!(language in words)) {
    words[language] = undefined
    fetchWords(language)
  }
  return words[language]
}

/** @param {string} language */
async function fetchWords(language) {
  let found
  try {
    found = await (await fetch(`${campaigns[0]?.base}/widget/v1.${language}.json`, politely())).json()
  } catch {}
  words[language] = { ...words.en, ...found }
  if (!found) setTimeout(fetchWords, 60000, language)
  tick()
}

/** How the service is asked: for nobody in particular, and not for ever. */
function politely() {
  /** @type {RequestInit} */
  const init = { credentials: 'omit', referrerPolicy: 'no-referrer', signal: AbortSignal.timeout(10000) }
  return init
}

/** @param {Campaign} c @param {number} [left] seconds; without it the campaign has no line in the bar */
function showInBar(c, left) {
  if (left === undefined || c.settings.bar === 'off') {
    // Not by remove(): Prototype.js has one of its own, which breaks on what stands nowhere.
    c.row?.parentNode?.removeChild(c.row)
    if (!barRows.firstChild) bar.parentNode?.removeChild(bar)
    return
  }
  const text = document.body && (c.settings.text || wordsFor(document.body)?.ends)
  if (!text) return
  const root = document.documentElement
  // In a grid it would be one more row, which takes its share of the height from the page's own.
  if (!bar.isConnected) (/grid/.test(getComputedStyle(document.body).display) ? root : document.body).append(bar)
  c.row ??= element('p')
  const timer = /** @type {HTMLElement} */ (c.row.lastElementChild ?? element('span'))
  // A page may turn to another language.
  if (timer.getAttribute('aria-label') !== text) {
    timer.dataset.lastcall = 'countdown'
    timer.setAttribute('aria-label', text)
    c.row.replaceChildren(text, ' ', timer)
  }
  if (!c.row.isConnected) barRows.append(c.row)
  count(timer, left)
  // The bar itself lies above the page, so its place at the end of the page is kept free.
  bar.style.minHeight = `${barRows.offsetHeight}px`
  // Where the page's body is moved or filtered, it is the body's edge that the bar would stand at.
  if (bar.parentNode !== root && barRows.getBoundingClientRect().bottom > innerHeight + 1) root.append(bar)
}

/**
 * @param {Campaign} c
 * @param {State} state
 * @param {number | null} deadline
 */
function announce(c, state, deadline) {
  if (state === c.state && (deadline === c.deadline || state !== 'open')) return
  c.state = state
  c.deadline = deadline
  if (state === 'open') emit('start', viewOf(c))
  if (state !== 'expired') return
  emit('expire', viewOf(c))
  leave(c)
}

/** @param {string} name @param {View} [detail] */
function emit(name, detail) {
  document.dispatchEvent(new CustomEvent(`lastcall:${name}`, { detail }))
}

/**
 * Where the campaign redirects. Not to the page where we are, and not after three times within a minute: who is sent
 * back from there would go round for ever. Where the tab cannot remember that it left, it stays.
 * @param {Campaign} c
 */
function leave(c) {
  const address = c.offer?.onExpiry?.redirectUrl ?? ''
  try {
    const here = new URL(location.href)
    const target = new URL(address)
    here.searchParams.delete('lc')
    target.searchParams.delete('lc')
    // Some pages have their routes behind the hash: without one in it, the address is the page with any.
    if (!target.hash) here.hash = ''
    if (target.href === here.href || !/^http/.test(address) || !mayKeep) return
    const now = Date.now()
    const lately = (sessionStorage.getItem('lastcall') ?? '')
      .split(',')
      .filter((leftAt) => Math.abs(now - +leftAt) < 60000)
    if (lately[2]) return
    sessionStorage.setItem('lastcall', [...lately, now].join())
    location.replace(address)
  } catch {}
}

// The form

/** @param {Element} form */
function prepare(form) {
  // What the page writes again may have lost them, or made fields of its own out of them.
  if (filled.get(form)?.every((one) => one.matches('[data-lastcall]') && one.closest('form') === form)) return
  // A copy that was made while the form was sending still says that it is busy.
  if (!sending.has(form)) form.ariaBusy = null
  // Before they are needed.
  wordsFor(form)
  const message = /** @type {HTMLElement} */ (
    querySelector.call(form, '[data-lastcall=message]') ?? appendChild.call(form, element('p'))
  )
  // Found again in a copy of the page.
  message.dataset.lastcall = 'message'
  message.setAttribute('role', 'status')
  // A copy of the form has that of the form beside it.
  if (document.getElementById(message.id) !== message) message.id = `lastcall-${Math.random()}`
  // Not just "website", which a field for people may be called.
  const trap = /** @type {HTMLInputElement} */ (
    querySelector.call(form, '[data-lastcall=honeypot]') ?? appendChild.call(form, element('input'))
  )
  trap.name = 'lastcall-website'
  trap.tabIndex = -1
  trap.autocomplete = 'off'
  // Firefox before 119 knows no properties for such attributes.
  trap.setAttribute('aria-hidden', 'true')
  trap.dataset.lastcall = 'honeypot'
  filled.set(form, [message, trap])
}

/** @param {SubmitEvent} event */
async function submit(event) {
  const form = /** @type {HTMLFormElement} */ (event.target)
  const c = matches.call(form, 'form[data-lastcall=form]') && campaignOf(form)
  // A page that prevents it, such as one with a box to tick, wants nothing sent.
  if (event.defaultPrevented || !c) return
  event.preventDefault()
  prepare(form)
  if (sending.has(form)) return
  sending.add(form)
  form.ariaBusy = 'true'
  const [message, trap] = /** @type {[HTMLElement, HTMLInputElement]} */ (filled.get(form))
  /** @type {NodeListOf<HTMLInputElement>} */
  const inputs = document.querySelectorAll('[name=email],[type=email]')
  // By its `form` it may stand elsewhere; a web component has none.
  const input = [...inputs].find((one) => (one.form || closest.call(one, 'form')) === form)
  /** @type {keyof Words} */
  let outcome = 'thanks'
  write(message, '')
  try {
    await register(c, input?.value ?? '', trap.value)
    // A button of the page's may be called reset, and stand in the method's place.
    HTMLFormElement.prototype.reset.call(form)
  } catch (error) {
    outcome = refusals[/** @type {any} */ (error).code] ?? 'failed'
  }
  sending.delete(form)
  form.ariaBusy = null
  write(message, getAttribute.call(form, `data-${outcome}`) ?? (wordsFor(form) ?? words.en)?.[outcome] ?? '')
  if (!input) return
  input.setAttribute('aria-invalid', String(outcome === 'invalid'))
  // Beside what the page has there, such as a hint.
  const descriptions = (input.getAttribute('aria-describedby') ?? '').split(' ').filter((id) => id !== message.id)
  input.setAttribute('aria-describedby', [...descriptions, message.id].join(' ').trim())
  if (outcome === 'invalid') input.focus()
}

/**
 * @param {Campaign} c
 * @param {string} email
 * @param {string} [website] what a robot has put where people see nothing
 */
async function register(c, email, website = '') {
  const offer = await post(c, 'leads', { email: email.trim(), lc: refs(c)[0], client: client(), website })
  if (offer.lc) keep({ [`of${c.id}`]: offer.lc, [`not${c.id}`]: kept.lc ?? '' })
  // The page is before the lead's eyes already.
  if (offer.state === 'pending') c.reported = false
  await ask(c)
}

// The way to the till

/** A link that is followed takes the visitor's ref along, for who buys with another address. @param {Event} event */
function buy({ target }) {
  /** @type {HTMLAnchorElement | null} */
  const link = /** @type {Element} */ (target).closest?.('a[data-lastcall=buy]')
  const c = link && campaignOf(link)
  // Once there is an answer, the ref that it knows: the newest may be that of another campaign's lead.
  const lc = c && (c.offer ? ref(`of${c.id}`) : refs(c)[0])
  const name = link?.dataset.refAs
  if (!name || !(lc || names.has(link)) || link.protocol !== 'https:') return
  const rest = without(name, link.search)
  names.set(link, name)
  link.search = lc ? `${rest && `${rest}&`}${name}=${lc}` : rest
}

// What pages may call

/** @param {Campaign} c @returns {View} */
function viewOf(c) {
  const { opensAt = null, deadline = null } = c.offer ?? {}
  return {
    campaign: c.id,
    state: c.offer && stateAt(c.offer, performance.now() + c.clock),
    opensAt,
    deadline,
    remaining: () => deadline && Math.max(0, deadline - performance.now() - c.clock),
  }
}

/** Script tags, marked elements and an `lc` that have come since: for pages that change without loading. */
function scan() {
  /** @type {Campaign[]} */
  const added = []
  // Some loaders remove a tag before it runs. A snippet's link stands in the order of the page; its script comes when the
  // browser has it, and so another snippet's may come first.
  for (const script of /** @type {Set<any>} */ (
    new Set([...document.querySelectorAll('script,link[as=script]'), document.currentScript])
  )) {
    const address = script?.src ?? (script?.onload && script.href)
    const [, base] = /^([^?#]+)\/widget\/v1\.\w/.exec(address) ?? []
    if (!base) continue
    // Tag managers strip attributes, but not the address.
    const settings = { ...Object.fromEntries(new URL(address).searchParams), ...script.dataset }
    const id = settings.campaign ?? ''
    if (!isId.test(id)) {
      if (script === document.currentScript) console.warn('Lastcall: add ?campaign=ID to', address)
    } else if (!find(id)) {
      // The rest comes with the first answer.
      const c = /** @type {Campaign} */ ({ id, base, settings, clock: 0, turn: 0, retryMs: 2500 })
      campaigns.push(c)
      added.push(c)
      if (settings.consent === 'wait') mayKeep = !!consent
    }
  }
  recall()
  for (const c of readAddress() ? campaigns : added) {
    c.reported = false
    ask(c)
  }
  tick()
}

function seen() {
  if (document.hidden) return
  for (const c of campaigns) if (!c.reported || c.retry) ask(c)
  tick()
}

/** Somewhat later: what takes the page over (React) begins with its scripts, and goes on after them. */
function loaded() {
  setTimeout(() => {
    isLoaded = true
    tick()
  }, 500)
}

/** @param {PageTransitionEvent} event */
function shown({ persisted }) {
  if (!persisted) return
  for (const c of campaigns) c.reported = false
  seen()
}

/**
 * With each tick, since a page that is written again (`document.open()`) loses its listeners, each of which is there
 * once, and a page that sets its own style sheets (`document.adoptedStyleSheets = [...]`) loses ours.
 */
function settle() {
  // Behind the page's own, which may prevent it, and before Turbo's, which comes with the event and sends the form itself.
  document.removeEventListener('submit', submit)
  document.addEventListener('submit', submit)
  addEventListener('click', buy, true)
  addEventListener('pageshow', shown)
  addEventListener('online', seen)
  addEventListener('DOMContentLoaded', scan)
  if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets.push(sheet)
  document.addEventListener('visibilitychange', seen)
  addEventListener('load', loaded)
  // Already when it is pressed: a new tab, by the middle button or the browser's menu, comes without a click.
  addEventListener('pointerdown', buy, true)
}

function start() {
  window.Lastcall = {
    get(id) {
      const c = find(id)
      return c ? viewOf(c) : null
    },
    on(name, listener) {
      document.addEventListener(`lastcall:${name}`, (event) => listener(/** @type {CustomEvent} */ (event).detail))
      for (const c of campaigns) if (c.state === (name === 'start' ? 'open' : 'expired')) listener(viewOf(c))
    },
    async register(email, id) {
      const c = find(id)
      if (!c) throw Object.assign(Error(), { code: 'CAMPAIGN_NOT_FOUND' })
      await register(c, email)
      return viewOf(c)
    },
    consent(given = true) {
      const before = { ...kept }
      consent = mayKeep = given
      if (given) keep(before)
      else
        try {
          localStorage.removeItem('lastcall')
          sessionStorage.removeItem('lastcall')
          for (const name in kept) delete kept[name]
          read = ''
        } catch {}
      readAddress()
      if (given)
        for (const c of campaigns) {
          ask(c)
          // Until now the tab could not remember that it left.
          if (c.state === 'expired') leave(c)
        }
    },
    scan,
  }
  sheet.replaceSync(style)
  // What comes late may come while the page is still being taken over.
  if (document.readyState === 'complete') loaded()
  scan()
  emit('ready')
}

// An element of the page with that id is a global too.
if (window.Lastcall?.scan) window.Lastcall.scan()
else start()
