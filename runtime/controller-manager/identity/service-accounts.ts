import { type Namespace, namespaces } from '../../../generated/apis/core/v1/namespace.ts'
import { serviceAccounts } from '../../../generated/apis/core/v1/service-account.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { done, type KeyController, watching } from '../../reconcile/reconcile.ts'
import type { BuildContext } from '../contract/build-controller.ts'
import { isNamespaceTerminating } from '../contract/namespace-refusals.ts'

/** The service account of pods that name none. */
const account = 'default'

/**
 * Gives each active namespace the service account `default` (T-15).
 *
 *   reads    Namespace, ServiceAccount
 *   writes   ServiceAccount: create
 *   wakes    when a namespace appears or changes its phase, and when such an account goes
 *   settles  when every active namespace has the account
 */
export async function serviceAccountController({
  name,
}: BuildContext): Promise<readonly KeyController[]> {
  return [
    {
      name,
      concurrency: 1,
      watches: [
        watching(namespaces, ({ metadata }) => [{ name: metadata.name }], { fields: ['status'] }),
        watching(serviceAccounts, ({ metadata }) => [{ name: metadata.namespace }], {
          metadataOnly: true,
          where: ({ metadata }) => metadata.name === account,
        }),
      ],
      async reconcile(key, { client, cached }) {
        const namespace = cached(namespaces).get(key)
        const found = cached(serviceAccounts).get({ namespace: key.name, name: account })
        if (!decideAccount(namespace, found !== undefined)) return done
        try {
          await client
            .resource(serviceAccounts)
            .in(key.name)
            .create({ metadata: { name: account } })
        } catch (error) {
          const isSettled = isStatus(error, 'AlreadyExists') || isStatus(error, 'NotFound')
          if (!isSettled && !isNamespaceTerminating(error)) throw error
        }
        return done
      },
    },
  ]
}

/** True if a namespace is to get the account. */
export function decideAccount(namespace: Stored<Namespace> | undefined, hasIt: boolean): boolean {
  return namespace?.status?.phase === 'Active' && !hasIt
}
