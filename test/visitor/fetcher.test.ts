// Who fetched, as far as headers tell: people, proxies of mail programs, scanners and other robots.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fetcherOf } from '../../src/http/visitor/fetcher.ts'
import type { Fetcher } from '../../src/store/counts.ts'

const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36'
const webKit = 'AppleWebKit/605.1.15 (KHTML, like Gecko)'

const agents: Record<Fetcher, string[]> = {
  person: [
    chrome,
    `${chrome} Edg/140.0`,
    'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Thunderbird/140.2.0',
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) ${webKit} Version/18.0 Mobile/15E148 Safari/604.1`,
    // Apple Mail without its proxy
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webKit}`,
    'Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0; WOW64; Trident/7.0; Microsoft Outlook 16.0.5000; ms-office; MSOffice 16)',
    'Mozilla/5.0 (Linux; Android 8.0; CUBOT X18) AppleWebKit/537.36',
    // Browsers within other programs
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) [LinkedInApp]/9.30',
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) ${webKit} Mobile/22A [FBAN/FBIOS;FBAV/440.0;FBDV/iPhone14,5]`,
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) ${webKit} GSA/300.0 Mobile/15E148 Safari/604.1`,
    'Mozilla/5.0 (Linux; Android 13; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/120.0 Mobile Safari/537.36 WhatsApp/2.23',
  ],
  proxy: [
    'Mozilla/5.0',
    'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
    'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html',
    'SeznamEmailProxy/2.0.108',
    'Mozilla/5.0 (compatible; SeznamEmailProxy/1.0; +http://napoveda.seznam.cz/)',
    'Mozilla/5.0 (compatible; YandexImageResizer/2.0; +http://yandex.com/bots)',
    'YandexImageResizer/2.0',
    'Outlook-iOS/725.2118.prod.iphone (3.24.0)',
  ],
  scanner: [
    '',
    '-',
    'Mozilla/5.0 (compatible; Googlebot/2.1)',
    'Mozilla/5.0 (compatible; bingbot/2.0)',
    'Mozilla/5.0 (compatible; Yahoo! Slurp)',
    'Mozilla/5.0 (compatible; SomeCrawler/1.0)',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0 Safari/537.36',
    `${chrome} Chrome-Lighthouse`,
    'Mozilla/5.0 (Unknown; Linux x86_64) AppleWebKit/538.1 (KHTML, like Gecko) PhantomJS/2.1.1 Safari/538.1',
    'Mozilla/5.0 (compatible; GoogleOther)',
    'Mozilla/5.0 (compatible; Microsoft Office Existence Discovery)',
    'Mozilla/5.0 (compatible; BarracudaCentral/1.0)',
    'Mozilla/5.0 (Windows NT 10.0) Mimecast',
    'Mozilla/5.0 (compatible; Proofpoint URL Defense)',
    'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5',
    ...['GoogleOther', 'Google-Safety', 'Slackbot-LinkExpanding 1.0', 'Slack-ImgProxy (+https://api.slack.com/robots)'],
    ...['LinkedInBot/1.0', 'WhatsApp/2.23', 'facebookexternalhit/1.1', 'Baiduspider/2.0', 'SomeCrawler/1.0'],
    ...['axios/1.7.2', 'node', 'undici', 'node-fetch/1.0', 'Ruby', 'GuzzleHttp/7', 'libwww-perl/6.77', 'curl/8.5.0'],
    ...[
      'Wget/1.21',
      'python-requests/2.32',
      'Java/21.0.1',
      'Go-http-client/2.0',
      'okhttp/4.12.0',
      'HeadlessChrome/140.0',
    ],
    'something that nobody has heard of',
  ],
}

for (const [fetcher, names] of Object.entries(agents))
  test(`taken for a ${fetcher}: ${names.length} programs, by what they call themselves`, () => {
    for (const agent of names) assert.equal(fetcherOf({ 'user-agent': agent }), fetcher, agent)
  })

test('a browser that fetches ahead is no person yet, and without a name nobody is one', () => {
  for (const header of ['sec-purpose', 'purpose', 'x-purpose'])
    assert.equal(fetcherOf({ 'user-agent': chrome, [header]: 'prefetch;prerender' }), 'scanner', header)
  assert.equal(fetcherOf({ 'user-agent': chrome, 'sec-purpose': '' }), 'person')
  assert.equal(fetcherOf({}), 'scanner')
})
