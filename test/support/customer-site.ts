// A customer's site: pages of another origin than the service's, from a real server.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Scope } from './lastcall.ts'

export type Site = {
  origin: string
  /** Puts a page at a path; the address of the page. */
  put(path: string, html: string, headers?: Record<string, string>): string
}

export async function customerSite(scope: Scope): Promise<Site> {
  const pages = new Map<string, { html: string; headers: Record<string, string> }>()
  const server = createServer((req, res) => {
    const page = pages.get(req.url?.split('?')[0] ?? '')
    if (!page) {
      res.writeHead(404).end()
      return
    }
    const { location } = page.headers
    res.writeHead(location === undefined ? 200 : 302, {
      'Content-Type': 'text/html; charset=utf-8',
      ...page.headers,
    })
    res.end(page.html)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  scope.after(async () => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    put(path, html, headers = {}) {
      pages.set(path, { html, headers })
      return origin + path
    },
  }
}
