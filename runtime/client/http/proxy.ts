/** Connections that lead through a proxy. */

import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect, type Socket } from 'node:net'
import { errorText } from '../../kernel/errors/error-text.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import { portOf, unbracketed } from './address.ts'
import type { Headers } from './credentials.ts'
import { socksHandshake } from './socks.ts'

/** A proxy by its address. */
export interface ProxyAddress {
  readonly kind: 'http' | 'https' | 'socks5'
  readonly url: URL
  readonly username: string
  readonly password: string
}

/**
 * Reads the address of a proxy.
 *
 * @throws StatusError `BadRequest` for one that is no address, or of another protocol.
 */
export function parseProxy(address: string): ProxyAddress {
  const url = URL.canParse(address) ? new URL(address) : undefined
  const kind = url?.protocol.replace(/h?:$/, '')
  if (url === undefined || (kind !== 'http' && kind !== 'https' && kind !== 'socks5')) {
    const wanted = 'expected http://, https:// or socks5:// and a host'
    throw new StatusError(
      'BadRequest',
      `proxy: ${JSON.stringify(withoutPassword(address))}: ${wanted}`,
    )
  }
  return { kind, url, username: decoded(url.username), password: decoded(url.password) }
}

/** A part of an address as it was meant; one with a percent sign that escapes nothing is taken as it stands. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** What a proxy is told about who sends a request. */
export function proxyAuthorization({ username, password }: ProxyAddress): Record<string, string> {
  if (username === '') return {}
  const pair = Buffer.from(`${username}:${password}`).toString('base64')
  return { 'proxy-authorization': `Basic ${pair}` }
}

/** A connection to a host that leads through a proxy. */
export async function openTunnel(proxy: ProxyAddress, host: string, port: number): Promise<Socket> {
  try {
    return proxy.kind === 'socks5'
      ? await openSocks(proxy, host, port)
      : await openConnect(proxy, host, port)
  } catch (cause) {
    const why = errorText(cause)
    throw new Error(`proxy ${proxy.url.host}: ${why}`, { cause })
  }
}

/** The tunnel of an HTTP proxy: the answer to CONNECT is the connection. */
function openConnect(proxy: ProxyAddress, host: string, port: number): Promise<Socket> {
  const authority = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
  const headers: Headers = { host: authority, ...proxyAuthorization(proxy) }
  const open = proxy.kind === 'https' ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const request = open({
      ...addressOf(proxy),
      agent: false,
      method: 'CONNECT',
      path: authority,
      headers: headers as Record<string, string>,
    })
    request.once('connect', ({ statusCode }, socket, rest) => {
      if (statusCode === 200 && rest.length === 0) return resolve(socket as Socket)
      socket.destroy()
      reject(new Error(`no way to ${authority}: it answered ${statusCode}`))
    })
    request.once('response', (response) => {
      response.destroy()
      reject(new Error(`no way to ${authority}: it answered ${response.statusCode}`))
    })
    request.once('error', reject)
    request.end()
  })
}

async function openSocks(proxy: ProxyAddress, host: string, port: number): Promise<Socket> {
  const socket = connect(addressOf(proxy))
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve).once('error', reject)
    })
    await socksHandshake(socket, { ...proxy, host, port })
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}

function addressOf({ url }: ProxyAddress): { host: string; port: number } {
  return { host: unbracketed(url.hostname), port: portOf(url) }
}

/** An address as messages show it. */
function withoutPassword(address: string): string {
  return address.replace(/\/\/[^@/]*@/, '//')
}
