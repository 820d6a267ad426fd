import { timingSafeEqual } from 'node:crypto'
import { chainAwaitable } from '../../../kernel/async/awaitable.ts'
import type { Clock } from '../../../kernel/async/clock.ts'
import type { Platform } from '../../../kernel/descriptors/platform.ts'
import type { AuthenticationResult } from '../authenticator.ts'
import type { IdentitySource, StoredSecret } from '../stored-identities.ts'
import type { TokenAuthenticator } from './token-authenticator.ts'

/** What bootstrap tokens are looked up with. */
export interface BootstrapTokenOptions {
  readonly source: Pick<IdentitySource, 'secret'>
  readonly platform: Pick<Platform, 'prefix' | 'domain'>
  readonly clock: Pick<Clock, 'now'>
}

const form = /^([a-z0-9]{6})\.([a-z0-9]{16})$/
const extraGroup = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/

/**
 * Knows bootstrap tokens, `<id>.<secret>`, by the secrets `bootstrap-token-<id>` of the system namespace (N-16): those that are of
 * the type of such secrets, marked for authentication, and not expired. Any other is unknown.
 */
export function bootstrapTokenAuthenticator({
  source,
  platform: { prefix, domain },
  clock,
}: BootstrapTokenOptions): TokenAuthenticator {
  const namespace = `${prefix}-system`
  const type = `bootstrap.${domain}/token`
  return {
    authenticate({ text }) {
      const [, id, key] = form.exec(text) ?? []
      if (id === undefined || key === undefined) return undefined
      const found = source.secret(namespace, `bootstrap-token-${id}`)
      return chainAwaitable(found, (secret): AuthenticationResult => {
        if (secret === undefined || secret.type !== type) return undefined
        return isGood(secret, id, key, clock.now()) ? userOf(id, secret) : undefined
      })
    },
  }
}

function isGood(secret: StoredSecret, id: string, key: string, now: number): boolean {
  if (secret.deletedAt !== undefined) return false
  if (!isSame(secret.value('token-secret') ?? '', key) || secret.value('token-id') !== id) {
    return false
  }
  return bootstrapTokenLeftMs(secret.value('expiration') ?? '', now) > 0 && isMarked(secret)
}

function isMarked(secret: StoredSecret): boolean {
  return secret.value('usage-bootstrap-authentication') === 'true'
}

/** Milliseconds that a bootstrap token is still good for, by the expiration that its secret says; none left for a time that cannot be read. */
export function bootstrapTokenLeftMs(expiration: string, now: number): number {
  if (expiration === '') return Number.POSITIVE_INFINITY
  const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/
  return rfc3339.test(expiration) ? Math.max(0, Date.parse(expiration) - now || 0) : 0
}

/** In a time that tells nothing of where two texts differ. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Undefined if the secret names a group that is none of bootstrapping nodes. */
function userOf(id: string, secret: StoredSecret): AuthenticationResult {
  const extra = secret.value('auth-extra-groups') || undefined
  const named = extra?.split(',') ?? []
  if (!named.every((group) => extraGroup.test(group))) return undefined
  const groups = [...new Set(['system:bootstrappers', ...named])].sort()
  return { user: { username: `system:bootstrap:${id}`, groups } }
}
