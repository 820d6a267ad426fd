import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningApiServer, startApiServer } from '../../runtime/apiserver/apiserver.ts'
import { parseStaticTokens } from '../../runtime/auth/auth.ts'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import type { Scheme } from '../../runtime/kernel/descriptors/scheme.ts'
import { silentLog } from '../../runtime/observe/observe.ts'
import { createAuthority } from './authority.ts'
import { type Kubectl, kubectl } from './kubectl.ts'
import { tempDirectory } from './temp.ts'

/** A server with TLS and RBAC, and kubectl as the bearer of one of its tokens. */
export interface TokenServer {
  readonly server: RunningApiServer
  as(token: string): Kubectl
}

/** Starts a server that knows the users of `tokens`, the lines of a token file. */
export async function startTokenServer(
  binary: string,
  scheme: Scheme,
  tokens: string,
): Promise<TokenServer> {
  const authority = createAuthority()
  const home = tempDirectory()
  const server = await startApiServer({
    scheme,
    storage: { kind: 'memory' },
    clock: systemClock,
    log: silentLog,
    secure: { host: '127.0.0.1', port: 0, certificate: authority.issue(['localhost']) },
    authentication: { anonymous: false, staticTokens: parseStaticTokens(tokens).users },
    authorization: { modes: ['RBAC'] },
  })
  const as = (token: string) => {
    const file = writeOrchconfig(server.url, authority.root, `{ token: ${token} }`)
    return kubectl(binary, file, home)
  }
  return { server, as }
}

/** Writes a file by which a client is `user`, which is YAML, of a server that `root`, in PEM, vouches for; gives its path. */
export function writeOrchconfig(url: string, root: string, user: string): string {
  const file = join(tempDirectory(), 'config')
  const ca = Buffer.from(root).toString('base64')
  writeFileSync(
    file,
    `apiVersion: v1
kind: Config
clusters: [{ name: c, cluster: { server: '${url}', certificate-authority-data: ${ca} } }]
users: [{ name: u, user: ${user} }]
contexts: [{ name: c, context: { cluster: c, user: u } }]
current-context: c
`,
  )
  return file
}
