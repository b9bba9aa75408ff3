// Where a session began: the browser in plain words, and the network of its address.
import Bowser from 'bowser'
import type { FastifyRequest } from 'fastify'
import type { Client } from '../../store/access.ts'
import { shortAddress } from '../address.ts'

/** Longer names are not read further: anybody can send them. */
const mostRead = 500
const mostKept = 100

export function clientOf({ headers, ip }: FastifyRequest): Client {
  return { device: deviceOf(headers['user-agent']), address: shortAddress(ip) }
}

/** `Firefox on Windows`; of a program that is no browser its first word, and empty where that is none either. */
export function deviceOf(userAgent = ''): string {
  const given = userAgent.slice(0, mostRead)
  if (given === '') return ''
  const { browser, os } = Bowser.parse(given)
  const named = [browser.name, os.name].filter((name) => name).join(' on ')
  const device = named || /^[\w.-]+/.exec(given)?.[0] || ''
  return device.replace(/[^\x20-\x7e]/g, '').slice(0, mostKept)
}
