/** Users by certificates, of their own (N-03) and of a proxy that names them (N-15): who is let in, and who is not. */
import { X509Certificate } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type AuthenticationPeer,
  type AuthenticationRequest,
  type AuthenticationResult,
  clientCertificateAuthenticator,
  type PeerCertificate,
  requestHeaderAuthenticator,
} from '../../../../runtime/auth/auth.ts'
import {
  type CertificatePair,
  createAuthority,
  issueCertificate,
} from '../../../../runtime/certificates/certificates.ts'
import { systemClock } from '../../../../runtime/kernel/async/clock.ts'
import { fakeClock } from '../../../support/clock.ts'
import { clientPair, newAuthority, serverPair, validity } from '../../../support/tls.ts'

const test = suite('runtime/auth/authn/client-certificate')

const authority = await newAuthority()
const stranger = await newAuthority()
const [between, last, limited] = await Promise.all([
  createAuthority({ commonName: 'between', ...validity }, authority),
  createAuthority({ commonName: 'last', ...validity }, authority),
  createAuthority({ commonName: 'limited', pathLength: 0, ...validity }, authority),
])
const below = await createAuthority({ commonName: 'below', ...validity }, between)
const tooDeep = await createAuthority({ commonName: 'too deep', ...validity }, limited)
const [hour, now] = [3_600_000, Date.now()]

function der({ cert }: CertificatePair): Buffer {
  return new X509Certificate(cert).raw
}

function peer(pair: CertificatePair, ...chain: readonly CertificatePair[]): PeerCertificate {
  return { raw: der(pair), chain: chain.map(der) }
}

function request(certificate?: PeerCertificate, headers = {}): AuthenticationRequest {
  return { method: 'GET', url: '/', headers, peer: { certificate: () => certificate } }
}

function rootsOf(...authorities: readonly CertificatePair[]): readonly X509Certificate[] {
  return authorities.map(({ cert }) => new X509Certificate(cert))
}

const roots = rootsOf(authority)
const authenticator = clientCertificateAuthenticator({ roots: () => roots, clock: systemClock })

/** What became of it: the user and the groups, or why not. */
function told(result: AuthenticationResult): string {
  if (result === undefined) return 'no opinion'
  return 'user' in result
    ? [result.user.username, ...result.user.groups].join(' ')
    : `refused: ${result.refused.replace('client certificate: ', '')}`
}

const jane = await clientPair(authority, 'jane', ['dev', 'ops'])
const expired = { validFrom: now - 2 * hour, validUntil: now - hour }
const early = { validFrom: now + hour, validUntil: now + 2 * hour }
const untrusted = 'refused: no authority that is trusted signed it'

const cases: readonly (readonly [string, () => Promise<PeerCertificate | undefined>, string])[] = [
  ['none', async () => undefined, 'no opinion'],
  ['one of the authority', async () => peer(jane), 'jane dev ops'],
  ['one without groups', async () => peer(await clientPair(authority, 'jack')), 'jack'],
  [
    'one without a name',
    async () => peer(await clientPair(authority, '', ['system:masters'])),
    'no opinion',
  ],
  [
    'one of an authority in between',
    async () => peer(await clientPair(between, 'jane'), between),
    'jane',
  ],
  [
    'a chain in any order, with others in it',
    async () => peer(await clientPair(below, 'jane'), authority, between, last, stranger, below),
    'jane',
  ],
  ['a chain with a gap', async () => peer(await clientPair(below, 'jane'), below), untrusted],
  [
    'one of another authority of the same name',
    async () => peer(await clientPair(stranger, 'jane')),
    untrusted,
  ],
  [
    'one that brings its own authority',
    async () => peer(await clientPair(stranger, 'jane'), stranger),
    untrusted,
  ],
  [
    'one that signed itself',
    async () =>
      peer(await issueCertificate({ commonName: 'jane', usages: ['client'], ...validity })),
    untrusted,
  ],
  [
    'one that has expired',
    async () => peer(await clientPair(authority, 'jane', [], expired)),
    'refused: it has expired',
  ],
  [
    'one that is not valid yet',
    async () => peer(await clientPair(authority, 'jane', [], early)),
    'refused: it is not valid yet',
  ],
  [
    'one of a server',
    async () => peer(await serverPair(authority)),
    'refused: it is not for the use as a client',
  ],
  [
    'one of an expired authority in between',
    async () => {
      const old = await createAuthority({ commonName: 'old', ...expired }, authority)
      return peer(await clientPair(old, 'jane'), old)
    },
    'refused: its authority: it has expired',
  ],
  [
    'one that a user signed',
    async () => peer(await clientPair(jane, 'admin', ['system:masters']), jane),
    untrusted,
  ],
  [
    'one of more authorities than one of them allows',
    async () => peer(await clientPair(tooDeep, 'jane'), tooDeep, limited),
    'refused: its authority: there are more authorities below it than it allows',
  ],
  [
    'one with more others than are looked at',
    async () => peer(jane, ...Array.from({ length: 11 }, () => between)),
    'refused: more than 10 certificates came with it',
  ],
  [
    'one with two thousand groups',
    async () =>
      peer(
        await clientPair(
          stranger,
          'jane',
          Array.from({ length: 2000 }, (_, at) => `g${at}`),
        ),
      ),
    'refused: it or another is longer than 16384 bytes',
  ],
  [
    'garbage',
    async () => ({ raw: Buffer.from('garbage'), chain: [] }),
    'refused: it cannot be read',
  ],
  ['nothing', async () => ({ raw: Buffer.alloc(0), chain: [] }), 'refused: it cannot be read'],
  [
    'a megabyte of garbage behind a certificate',
    async () => ({ raw: der(jane), chain: [Buffer.alloc(1 << 20, 0x30)] }),
    'refused: it or another is longer than 16384 bytes',
  ],
  [
    'one whose bytes were changed',
    async () => {
      const raw = Buffer.from(der(jane))
      raw.write('root', raw.indexOf('jane'))
      return { raw, chain: [] }
    },
    'refused: a signature is wrong',
  ],
]

for (const [what, make, wanted] of cases) {
  test(`a connection with ${what}: ${wanted} [N-03]`, async () => {
    assert.is(told(await authenticator.authenticate(request(await make()))), wanted)
  })
}

test('many certificates that seem to sign each other are given up', async () => {
  const names = Array.from({ length: 10 }, () =>
    createAuthority({ commonName: 'same', ...validity }),
  )
  const same = await Promise.all(names)
  const certificate = peer(await clientPair(same[0] as CertificatePair, 'jane'), ...same)
  assert.match(told(await authenticator.authenticate(request(certificate))), /^refused/)
})

test('a connection is verified once: then its user is told without a promise', async () => {
  const asked = request(peer(jane))
  const first = await authenticator.authenticate(asked)
  const again = authenticator.authenticate(asked)
  assert.not.instance(again, Promise)
  assert.is(again, first)
})

test('a connection outlives neither its certificate nor its authority', async () => {
  const clock = fakeClock(now)
  let trusted = roots
  const { authenticate } = clientCertificateAuthenticator({ roots: () => trusted, clock })
  const asked = request(peer(jane))
  const ask = async () => told(await authenticate(asked))
  assert.is(await ask(), 'jane dev ops')
  trusted = rootsOf(stranger)
  assert.is(await ask(), untrusted)
  trusted = rootsOf(stranger, authority)
  assert.is(await ask(), 'jane dev ops')
  await clock.advance(25 * hour)
  assert.is(await ask(), 'refused: it has expired')
})

const proxy = await clientPair(stranger, 'proxy')
const headerOptions = {
  roots: () => rootsOfProxies,
  allowedNames: ['proxy'],
  usernameHeaders: ['X-Remote-User', 'X-Other-User'],
  groupHeaders: ['X-Remote-Group'],
  extraHeaderPrefixes: ['X-Remote-Extra-'],
  clock: systemClock,
}
const rootsOfProxies = rootsOf(stranger)
const proxied = requestHeaderAuthenticator(headerOptions)

function ofProxy(pair: CertificatePair, ...rawHeaders: readonly string[]): AuthenticationRequest {
  const headers: Record<string, string> = {}
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string).toLowerCase()
    headers[name] = [headers[name] ?? [], rawHeaders[at + 1]].flat().join(', ')
  }
  return { ...request(peer(pair), headers), rawHeaders }
}

test('a proxy that is trusted names users, groups and more; the headers go no further [N-15]', async () => {
  const asked = ofProxy(
    proxy,
    ...['X-Remote-User', 'jane', 'X-Remote-Group', 'a, b', 'x-remote-group', 'c'],
    ...['X-Remote-Extra-Scopes%2fOf', 's', 'X-Remote-Extra-__proto__', 'p', 'Accept', '*/*'],
  )
  const result = await proxied.authenticate(asked)
  const extra = Object.fromEntries([
    ['scopes/of', ['s']],
    ['__proto__', ['p']],
  ])
  assert.equal(result, { user: { username: 'jane', groups: ['a, b', 'c'], extra } })
  assert.equal(asked.headers, { accept: '*/*' })
  const second = await proxied.authenticate(ofProxy(proxy, 'X-Other-User', 'jack'))
  assert.equal(second, { user: { username: 'jack', groups: [] } })
})

test('names in headers are texts in UTF-8 [N-15]', async () => {
  const bytes = (text: string) => Buffer.from(text).toString('latin1')
  const asked = ofProxy(proxy, 'X-Remote-User', bytes('jörg'), 'X-Remote-Group', bytes('größe'))
  assert.equal(await proxied.authenticate(asked), { user: { username: 'jörg', groups: ['größe'] } })
})

test('a proxy that names nobody has no opinion', async () => {
  assert.is(told(await proxied.authenticate(ofProxy(proxy))), 'no opinion')
  assert.is(told(await proxied.authenticate(ofProxy(proxy, 'X-Remote-User', ''))), 'no opinion')
  assert.is(told(await proxied.authenticate(request())), 'no opinion')
})

test('the headers of others name nobody', async () => {
  const forged = ['X-Remote-User', 'admin', 'X-Remote-Group', 'system:masters']
  const named = async (pair: CertificatePair) =>
    told(await proxied.authenticate(ofProxy(pair, ...forged)))
  assert.match(await named(jane), /^refused: .*no authority/)
  assert.match(await named(await clientPair(stranger, 'other')), /^refused: .*"other" may not/)
  assert.match(await named(await serverPair(stranger)), /^refused: .*not for the use/)
  const plain: AuthenticationPeer = { remoteAddress: '127.0.0.1' }
  const result = await proxied.authenticate({ ...ofProxy(proxy, ...forged), peer: plain })
  assert.is(result, undefined)
  const anyone = requestHeaderAuthenticator({ ...headerOptions, allowedNames: [] })
  const other = ofProxy(await clientPair(stranger, 'other'), ...forged)
  assert.is(told(await anyone.authenticate(other)), 'admin system:masters')
})

test.run()
