/** Who may ask an agent for what: paths are parts of its node. */
import type { IncomingMessage } from 'node:http'
import {
  type Authenticator,
  type AuthorizationAttributes,
  type Authorizer,
  type UserInfo,
  unauthorizedError,
} from '../../auth/auth.ts'
import type { Log } from '../../observe/observe.ts'
import { peerOf } from '../../serving/serving.ts'
import { Refusal } from '../contract/refusal.ts'

/** Who callers are, and what they may. */
export interface AgentAccess {
  /** Names the user; the anonymous one too, or a request without credentials is refused. */
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
}

const verbs: Readonly<Record<string, string>> = {
  ...{ GET: 'get', HEAD: 'get', POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' },
}

/** Parts of a node that have rights of their own, by the first step of the path; the rest is its proxy. */
const parts: Readonly<Record<string, string>> = {
  ...{ stats: 'stats', metrics: 'metrics', logs: 'log', checkpoint: 'checkpoint' },
}

/** What a request asks for: a part of the node (G-04). */
export function attributesOf(
  { method = '', url = '' }: Pick<IncomingMessage, 'method' | 'url'>,
  user: UserInfo,
  name: string,
): AuthorizationAttributes {
  const [first = ''] = url
    .replace(/[?#].*/s, '')
    .split('/')
    .filter(Boolean)
  const subresource = Object.hasOwn(parts, first) ? parts[first] : undefined
  return {
    ...{ user, verb: verbs[method] ?? method.toLowerCase(), group: '', version: 'v1' },
    ...{ resource: 'nodes', subresource: subresource ?? 'proxy', name },
  }
}

/** @throws Refusal for credentials that do not hold (401) and for what the user may not do (403). */
export async function checkAccess(
  { authenticator, authorizer }: AgentAccess,
  request: IncomingMessage,
  nodeName: string,
  log: Log,
): Promise<void> {
  const user = await userOf(authenticator, request, log)
  if (user === undefined) throw new Refusal(401, unauthorizedError().message)
  const attributes = attributesOf(request, user, nodeName)
  const { decision, error } = await authorizer.authorize(attributes)
  if (decision === 'Allow') return
  const { verb, subresource } = attributes
  if (error !== undefined) {
    log.error('authorization failed', { verb, subresource: subresource ?? '' }, error)
    throw new Refusal(
      500,
      `Authorization error (user=${user.username}, verb=${verb}, resource=nodes, subresource=${subresource})`,
    )
  }
  throw new Refusal(
    403,
    `Forbidden (user=${user.username}, verb=${verb}, resource=nodes, subresource=${subresource})`,
  )
}

async function userOf(
  authenticator: Authenticator,
  { method = '', url = '', headers, rawHeaders, socket }: IncomingMessage,
  log: Log,
): Promise<UserInfo | undefined> {
  try {
    const peer = peerOf(socket)
    const result = await authenticator.authenticate({ method, url, headers, rawHeaders, peer })
    if (result === undefined) return undefined
    if ('user' in result) return result.user
    log.info('credentials refused', { reason: result.refused })
  } catch (error) {
    log.error('authentication failed', {}, error)
  }
  return undefined
}
