// Which zone data this process uses: decided once, before anything asks for a local time.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { WrongSetting } from '../config.ts'
import { readTzif } from '../core/mechanism/tzif.ts'
import { setZoneData, zoneData } from '../core/mechanism/zone.ts'
import { filedZoneData, nodeZoneData, type SpanAt, type ZoneData } from '../core/mechanism/zone-data.ts'
import type { Log } from '../log.ts'
import type { Store } from '../store/store.ts'

const systemFolder = '/usr/share/zoneinfo'

/** Node's own data, from ICU. */
const nodeVersion = process.versions.tz ?? ''

/** Names of zones and of their folders: not `posix`, `right`, `localtime`, `tzdata.zi`. */
const zonePart = /^[A-Z][A-Za-z0-9_+-]*$/
/** `America/Argentina/Buenos_Aires` */
const mostParts = 3
const longestFile = 65_536

/**
 * The folder that TZDIR names, or the system's data if they are newer than Node's, or Node's. All files are read now:
 * an update on the disk is used from the next start on, for all zones at once.
 * @throws WrongSetting if TZDIR cannot be used
 */
export function chooseZoneData(tzdir: string | null, system = systemFolder): void {
  const node = nodeZoneData(nodeVersion)
  setZoneData(tzdir === null ? ofSystem(system, node) : ofTzdir(tzdir, node))
}

function ofTzdir(folder: string, node: ZoneData): ZoneData {
  try {
    const { files, digest } = readFolder(folder)
    return filedZoneData({ version: versionOf(folder) ?? `unnamed-${digest}`, source: 'TZDIR', files }, node)
  } catch (error) {
    throw new WrongSetting(
      `TZDIR: must be a folder of TZif files, such as ${systemFolder}: ${(error as Error).message}`,
    )
  }
}

function ofSystem(folder: string, node: ZoneData): ZoneData {
  try {
    const version = versionOf(folder)
    if (version === undefined || version <= nodeVersion) return node
    return filedZoneData({ version, source: 'system', files: readFolder(folder).files }, node)
  } catch (error) {
    console.error(`lastcall: the zone data in ${folder} are not used: ${(error as Error).message}`)
    return node
  }
}

/** `2026c`; undefined if the folder does not say. Such versions sort as text. */
function versionOf(folder: string): string | undefined {
  const paths = ['tzdata.zi', '+VERSION'].map((name) => join(folder, name)).filter((path) => existsSync(path))
  const found = paths.map((path) => /^(?:# version )?(\d{4}[a-z])\b/.exec(readFileSync(path, 'latin1')))
  return found.find((match) => match !== null)?.[1]
}

/** @throws Error that names what cannot be read */
function readFolder(folder: string): { files: Map<string, SpanAt>; digest: string } {
  const files = new Map<string, SpanAt>()
  const hash = createHash('sha256')
  for (const name of namesBelow(folder, '')) {
    const bytes = readFileSync(join(folder, name))
    // There are texts too. An empty file is a copy that broke off.
    if (bytes.length > 0 && bytes.toString('latin1', 0, 4) !== 'TZif') continue
    try {
      files.set(name, readTzif(bytes))
    } catch (error) {
      throw new Error(`${name} ${(error as Error).message}`)
    }
    hash.update(name).update(bytes)
  }
  if (files.size === 0) throw new Error('the folder has none')
  return { files, digest: hash.digest('hex').slice(0, 8) }
}

function namesBelow(folder: string, prefix: string): string[] {
  const parts = readdirSync(join(folder, prefix)).filter((part) => zonePart.test(part))
  return parts.sort().flatMap((part) => {
    const name = `${prefix}${part}`
    const found = statSync(join(folder, name), { throwIfNoEntry: false })
    if (found?.isDirectory()) return name.split('/').length < mostParts ? namesBelow(folder, `${name}/`) : []
    return found?.isFile() && found.size <= longestFile ? [name] : []
  })
}

const watchMs = 60_000

/** Warns once in the log if other nodes use other data: then one lead may have two deadlines. */
export function watchZoneData(store: Store, log: Log): () => void {
  let told = ''
  const look = async () => {
    const others = (await store.otherZoneData().catch(() => [])).join(', ')
    if (others !== '' && others !== told) {
      log.warn(
        `zone data differ: here ${zoneData().version}, on other nodes ${others}; leads may get different deadlines. ` +
          'Bring all nodes to the same version (docs/operating.md, "Time zones")',
      )
    }
    told = others
  }
  const timer = setInterval(look, watchMs)
  timer.unref()
  look()
  return () => clearInterval(timer)
}
