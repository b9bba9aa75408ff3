// Requests of the public API as programs that run as they are pasted. The key comes from the environment, and
// nothing in them is a sentence: what there is to say stands beside them, in the reader's language. 502 and 504 come
// from a proxy while the service is away, with a page that is no JSON.
import type { Operation } from '../../core/operations.ts'
import { type ApiRequest, apiRequest } from './api-request.ts'

export const snippetLanguages = ['curl', 'node', 'python', 'php'] as const
type SnippetLanguage = (typeof snippetLanguages)[number]
type Snippets = Record<SnippetLanguage, string>

/** One operation in every language. */
export function snippets(name: Operation, baseUrl: string, campaignId: number | string): Snippets {
  const request = apiRequest(name, baseUrl, campaignId)
  return { curl: curl(request), node: node(request), python: python(request), php: php(request) }
}

const lines = (...parts: (string | string[])[]) => parts.flat().join('\n')

/** In single quotes a POSIX shell leaves everything as it is, but for their end. */
const shellText = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
/** JavaScript and PHP read the same in single quotes. */
const singleQuoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`

function curl({ url, body }: ApiRequest): string {
  const sent = [
    `  --header "Authorization: Bearer $LASTCALL_KEY"`,
    ...(body === null
      ? []
      : [`  --header 'Content-Type: application/json'`, `  --data ${shellText(JSON.stringify(body))}`]),
  ]
  return [`curl --silent --show-error --max-time 10 ${shellText(url)}`, ...sent].join(' \\\n')
}

/** The entries of a body, as a language writes them. */
function entries(body: Record<string, string>, write: (name: string, value: string) => string): string {
  return Object.entries(body)
    .map(([name, value]) => write(name, value))
    .join(', ')
}

function node({ method, url, body }: ApiRequest): string {
  const fields = body && entries(body, (name, value) => `${name}: ${singleQuoted(value)}`)
  return lines(
    `const url = ${singleQuoted(url)}`,
    'const request = {',
    `  method: '${method}',`,
    '  headers: {',
    `    Authorization: \`Bearer \${process.env.LASTCALL_KEY}\`,`,
    fields === null ? [] : `    'Content-Type': 'application/json',`,
    '  },',
    fields === null ? [] : `  body: JSON.stringify({ ${fields} }),`,
    '}',
    '',
    'async function send(tries = 5) {',
    '  for (let round = 1; ; round += 1) {',
    '    let seconds = 2 ** round * (0.25 + Math.random() / 2)',
    '    let reason',
    '    try {',
    '      const answer = await fetch(url, { ...request, signal: AbortSignal.timeout(10_000) })',
    '      const body = await answer.json()',
    '      if (![429, 502, 503, 504].includes(answer.status)) return { status: answer.status, body }',
    `      seconds = Math.min(Number(answer.headers.get('retry-after')) || seconds, 60)`,
    '      reason = answer.status',
    '    } catch (error) {',
    '      reason = error',
    '    }',
    "    if (round === tries) throw new Error('gave up', { cause: reason })",
    '    await new Promise((done) => setTimeout(done, seconds * 1000))',
    '  }',
    '}',
    '',
    'const { status, body } = await send()',
    'console.log(status, JSON.stringify(body, null, 2))',
  )
}

function python({ method, url, body }: ApiRequest): string {
  // A JSON text in ASCII is a Python text too.
  const fields = body && entries(body, (name, value) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
  return lines(
    'import http.client, json, os, random, time, urllib.error, urllib.request',
    '',
    'request = urllib.request.Request(',
    `    ${JSON.stringify(url)},`,
    `    method="${method}",`,
    '    headers={',
    `        "Authorization": f"Bearer {os.environ['LASTCALL_KEY']}",`,
    fields === null ? [] : `        "Content-Type": "application/json",`,
    '    },',
    fields === null ? [] : `    data=json.dumps({${fields}}).encode(),`,
    ')',
    '',
    '',
    'def send(tries=5):',
    '    for attempt in range(1, tries + 1):',
    '        seconds = 2**attempt * random.uniform(0.25, 0.75)',
    '        try:',
    '            with urllib.request.urlopen(request, timeout=10) as answer:',
    '                return answer.status, json.load(answer)',
    '        except urllib.error.HTTPError as error:',
    '            if error.code not in (429, 502, 503, 504):',
    '                return error.code, json.load(error)',
    '            after = error.headers.get("Retry-After", "")',
    '            seconds = min(int(after), 60) if after.isdigit() else seconds',
    '            reason = error',
    '        except (OSError, http.client.HTTPException, json.JSONDecodeError) as error:',
    '            reason = error',
    '        if attempt == tries:',
    '            raise SystemExit(f"gave up: {reason}")',
    '        time.sleep(seconds)',
    '',
    '',
    'status, body = send()',
    'print(status, json.dumps(body, indent=2))',
  )
}

function php({ method, url, body }: ApiRequest): string {
  const fields = body && entries(body, (name, value) => `${singleQuoted(name)} => ${singleQuoted(value)}`)
  return lines(
    '<?php',
    '$request = [',
    `    CURLOPT_URL => ${singleQuoted(url)},`,
    `    CURLOPT_CUSTOMREQUEST => '${method}',`,
    '    CURLOPT_HTTPHEADER => [',
    `        'Authorization: Bearer ' . getenv('LASTCALL_KEY'),`,
    fields === null ? [] : `        'Content-Type: application/json',`,
    '    ],',
    fields === null ? [] : `    CURLOPT_POSTFIELDS => json_encode([${fields}]),`,
    '    CURLOPT_RETURNTRANSFER => true,',
    '    CURLOPT_TIMEOUT => 10,',
    '];',
    '',
    'function send(array $request, int $tries = 5): array',
    '{',
    '    for ($round = 1; ; $round += 1) {',
    '        $seconds = 2 ** $round * mt_rand(25, 75) / 100;',
    '        $curl = curl_init();',
    '        curl_setopt_array($curl, $request);',
    '        curl_setopt($curl, CURLOPT_HEADERFUNCTION, function ($curl, $line) use (&$seconds) {',
    `            if (stripos($line, 'Retry-After:') === 0) {`,
    '                $seconds = min((int) substr($line, 12) ?: $seconds, 60);',
    '            }',
    '            return strlen($line);',
    '        });',
    '        $body = curl_exec($curl);',
    '        $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);',
    '        if ($body !== false && !in_array($status, [429, 502, 503, 504])) {',
    '            return [$status, json_decode($body, true)];',
    '        }',
    '        if ($round === $tries) {',
    `            throw new Exception('gave up: ' . (curl_error($curl) ?: $status));`,
    '        }',
    '        usleep((int) ($seconds * 1000000));',
    '    }',
    '}',
    '',
    '[$status, $body] = send($request);',
    `echo $status, ' ', json_encode($body, JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES), PHP_EOL;`,
  )
}
