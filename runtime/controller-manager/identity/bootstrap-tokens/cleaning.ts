import { secrets } from '../../../../generated/apis/core/v1/secret.ts'
import { objectKey } from '../../../informer/informer.ts'
import { isStatus } from '../../../kernel/errors/status-error.ts'
import { again, done, type KeyController, watching } from '../../../reconcile/reconcile.ts'
import type { BuildContext } from '../../contract/build-controller.ts'
import { leftMs, tokenSecretScope } from './token-secrets.ts'

/**
 * Deletes the secrets of bootstrap tokens when they expire.
 *
 *   reads    Secret of bootstrap tokens, in the system namespace
 *   writes   Secret: delete
 *   wakes    when such a secret changes, and when it expires
 *   settles  when none has expired
 */
export function tokenCleanerController({ name, platform }: BuildContext): readonly KeyController[] {
  return [
    {
      name,
      concurrency: 1,
      watches: [watching(secrets, (secret) => [objectKey(secret)], tokenSecretScope(platform))],
      async reconcile(key, { client, cached, clock, signal }) {
        const secret = cached(secrets).get(key)
        if (secret === undefined) return done
        const left = leftMs(secret, clock.now())
        if (left > 0) return Number.isFinite(left) ? again(left) : done
        try {
          await client.resource(secrets).delete(secret, {}, signal)
        } catch (error) {
          if (!isStatus(error, 'NotFound') && !isStatus(error, 'Conflict')) throw error
        }
        return done
      },
    },
  ]
}
