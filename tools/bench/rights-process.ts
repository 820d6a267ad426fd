/**
 * Three servers of one process: over plain HTTP and over TLS, both open to all, and over TLS with certificates, tokens and RBAC of
 * 500 roles and 1,000 bindings.
 */

import { scheme } from '../../generated/scheme.ts'
import { type RunningApiServer, startApiServer } from '../../runtime/apiserver/apiserver.ts'
import { createAuthority, issueCertificate } from '../../runtime/certificates/certificates.ts'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../runtime/observe/observe.ts'

const roles = 500
const bindings = 1000
const users = 100

const group = `rbac.authorization.${scheme.platform.api}`
const hour = 3_600_000
const validity = { validFrom: Date.now() - hour, validUntil: Date.now() + hour }
const authority = await createAuthority({ commonName: 'bench', ...validity })
const certificate = await issueCertificate(
  { commonName: 'server', usages: ['server'], hosts: ['127.0.0.1'], ...validity },
  authority,
)
const client = await issueCertificate(
  { commonName: 'u7', usages: ['client'], ...validity },
  authority,
)

const own = { scheme, storage: { kind: 'memory' }, clock: systemClock, log: silentLog } as const
const secure = { host: '127.0.0.1', port: 0, certificate }
const plain = await startApiServer({ ...own, listen: { port: 0 } })
const open = await startApiServer({ ...own, secure })
const guarded = await startApiServer({
  ...own,
  secure: { ...secure, clientAuthorities: { pem: authority.cert } },
  authentication: {},
  authorization: { modes: ['RBAC'] },
})
for (const server of [plain, open, guarded]) {
  await post(server, '/api/v1/namespaces/default/configmaps', { metadata: { name: 'first' } })
}
await grant(guarded)
const { status } = await post(guarded, '/api/v1/namespaces/default/serviceaccounts/robot/token', {
  spec: {},
})

process.on('message', (word) => {
  if (word === 'cpu') process.send?.(process.cpuUsage())
  else void bindAndAsk().then((ms) => process.send?.(ms))
})
process.send?.({
  urls: { plain: plain.url, open: open.url, guarded: guarded.url },
  ca: authority.cert,
  client,
  token: status.token,
})

/** Sends a request as an administrator, without a socket. */
async function send(
  server: RunningApiServer,
  [method, path]: readonly ['GET' | 'POST', string],
  user: { readonly username: string; readonly groups: readonly string[] },
  body?: object,
): Promise<{ readonly code: number; readonly text: string }> {
  const headers = { 'content-type': 'application/json' }
  const answer = await server.dispatch({ method, path, headers, body: JSON.stringify(body), user })
  let text = ''
  for await (const chunk of answer.body) text += Buffer.from(chunk).toString()
  return { code: answer.status, text }
}

async function post(
  server: RunningApiServer,
  path: string,
  body: object,
): Promise<{ readonly status: { readonly token: string } }> {
  const admin = { username: 'admin', groups: ['system:masters'] }
  const { code, text } = await send(server, ['POST', path], admin, body)
  if (code !== 201) throw new Error(`POST ${path}: ${text}`)
  return JSON.parse(text)
}

async function grant(server: RunningApiServer): Promise<void> {
  const base = `/apis/${group}/v1`
  for (let at = 0; at < roles; at++) {
    const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['configmaps', `other${at}`] }]
    await post(server, `${base}/clusterroles`, { metadata: { name: `r${at}` }, rules })
  }
  for (let at = 0; at < bindings; at++) await bind(server, `b${at}`, `u${at % users}`, at % roles)
  const account = { metadata: { name: 'robot' } }
  await post(server, '/api/v1/namespaces/default/serviceaccounts', account)
  await bind(server, 'robot', 'system:serviceaccount:default:robot', 7)
}

function bind(server: RunningApiServer, name: string, user: string, role: number) {
  return post(server, `/apis/${group}/v1/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: group, kind: 'ClusterRole', name: `r${role}` },
    subjects: [{ apiGroup: group, kind: 'User', name: user }],
  })
}

let bound = 0

/** Milliseconds from the answer to a binding's writer until its user may what it says. */
async function bindAndAsk(): Promise<number> {
  const username = `new${bound++}`
  await bind(guarded, username, username, 3)
  const began = performance.now()
  const path = '/api/v1/namespaces/default/configmaps/first'
  for (;;) {
    const { code } = await send(guarded, ['GET', path], { username, groups: [] })
    if (code === 200) return performance.now() - began
  }
}
