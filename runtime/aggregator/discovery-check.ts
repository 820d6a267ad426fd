/** Whether another server answers at all. */
import type { ServiceEndpoint } from '../webhook/webhook.ts'
import { addressText } from './connection-errors.ts'
import { type DocumentSource, fetchDocument } from './remote-document.ts'
import type { RemoteVersion } from './remote-version.ts'
import { remotePath } from './remote-version.ts'

/** Requests that are sent at once: one that is answered is enough, as behind the service may be several programs. */
const attempts = 5

const timeoutMs = 5000

/** How the other server is asked. */
export interface DiscoveryCheck {
  readonly source: Omit<DocumentSource, 'endpoint'>
  readonly resolve: () => Promise<ServiceEndpoint>
  /** The user as which this server asks by itself. */
  readonly username: string
}

/** Why a server is taken to be away; undefined if it answers for its group version. */
export async function checkDiscovery(
  version: RemoteVersion,
  check: DiscoveryCheck,
): Promise<string | undefined> {
  const failures: string[] = []
  const answered = Array.from({ length: attempts }, async () => {
    const failure = await attempt(version, check)
    if (failure === undefined) return
    failures.push(failure)
    throw new Error(failure)
  })
  return Promise.any(answered).then(
    () => undefined,
    () => failures.at(-1),
  )
}

async function attempt(
  version: RemoteVersion,
  { source, resolve, username }: DiscoveryCheck,
): Promise<string | undefined> {
  const endpoint = await resolve().catch((error: Error) => error)
  if (endpoint instanceof Error) return endpoint.message
  const path = `/${remotePath(version)}`
  const url = `https://${addressText(endpoint.host, endpoint.port)}${path}`
  try {
    const { status } = await fetchDocument(
      { ...source, endpoint },
      {
        ...{ path, accept: '*/*', timeoutMs, maxBytes: 4 * 1024 * 1024 },
        user: { username, groups: ['system:masters'] },
      },
    )
    if (status >= 200 && status < 300) return undefined
    return `failing or missing response from ${url}: bad status from ${url}: ${status}`
  } catch (error) {
    return `failing or missing response from ${url}: Get "${url}": ${(error as Error).message}`
  }
}
