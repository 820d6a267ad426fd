import { type Secret, secrets } from '../../../generated/apis/core/v1/secret.ts'
import {
  type ServiceAccount,
  serviceAccounts,
} from '../../../generated/apis/core/v1/service-account.ts'
import { signLegacyToken } from '../../auth/auth.ts'
import type { Client, Key } from '../../client/client.ts'
import { formatKey, objectKey } from '../../informer/informer.ts'
import type { Platform } from '../../kernel/descriptors/platform.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import {
  again,
  done,
  type KeyController,
  type Outcome,
  watching,
} from '../../reconcile/reconcile.ts'
import type { BuildContext } from '../contract/build-controller.ts'

/**
 * Fills the secrets that hold a token of a service account, and takes them away with their account (N-10). Runs only where the key that signs is known.
 *
 *   reads    Secret of the type of such tokens, ServiceAccount
 *   writes   Secret: update, delete; ServiceAccount: update
 *   wakes    when such a secret or its account changes or goes
 *   settles  when every such secret has its token, and no account names one that is gone
 */
export async function accountTokensController({
  name,
  concurrency,
  platform,
  rootCertificates,
  tokenKey,
}: BuildContext): Promise<readonly KeyController[]> {
  if (tokenKey === undefined) return []
  const names = namesOf(platform)
  const accounts = new Map<string, string>()
  return [
    {
      name,
      ...(concurrency !== undefined && { concurrency }),
      watches: [
        watching(secrets, (secret) => [objectKey(secret)], {
          fieldSelector: `type=${names.type}`,
          indexes: { account: ({ metadata }) => [metadata.annotations?.[names.account] ?? ''] },
        }),
        watching(
          serviceAccounts,
          ({ metadata }, { cached }) =>
            cached(secrets)
              .index('account', metadata.name)
              .filter((secret) => secret.metadata.namespace === metadata.namespace)
              .map(objectKey),
          { metadataOnly: true },
        ),
      ],
      async reconcile(key, { client, cached }) {
        const secret = cached(secrets).get(key)
        const id = formatKey(key)
        if (secret === undefined) {
          const account = accounts.get(id)
          accounts.delete(id)
          return account === undefined ? done : forgetSecret(client, key, account)
        }
        const accountName = secret.metadata.annotations?.[names.account] ?? ''
        accounts.set(id, accountName)
        if (accountName === '') return done
        const { namespace } = secret.metadata
        const account = await client
          .resource(serviceAccounts)
          .find({ namespace, name: accountName })
        const certificates = rootCertificates?.() ?? ''
        const plan = decideSecret({ secret, account, certificates }, names)
        if (plan === 'keep') return done
        if (plan === 'delete') return settled(client.resource(secrets).delete(secret))
        const found = account as Stored<ServiceAccount>
        const content = {
          namespace,
          secret: secret.metadata.name,
          account: { name: found.metadata.name, uid: found.metadata.uid },
        }
        const token = plan.token ? await signLegacyToken(content, platform, tokenKey()) : undefined
        return settled(
          client.resource(secrets).update(filled(secret, found, { certificates, token }, names)),
        )
      },
    },
  ]
}

/** The platform's names of such secrets. */
interface TokenNames {
  readonly type: string
  readonly account: string
  readonly uid: string
}

function namesOf({ domain }: Pick<Platform, 'domain'>): TokenNames {
  return {
    type: `${domain}/service-account-token`,
    account: `${domain}/service-account.name`,
    uid: `${domain}/service-account.uid`,
  }
}

/** What a secret is looked at with. */
export interface ObservedSecret {
  readonly secret: Stored<Secret>
  /** The account that it names. */
  readonly account: Stored<ServiceAccount> | undefined
  /** PEM; empty where it is not known. */
  readonly certificates: string
}

/** What is to be done about a secret. */
export function decideSecret(
  { secret: { metadata, data = {} }, account, certificates }: ObservedSecret,
  names: Pick<TokenNames, 'uid'>,
): 'keep' | 'delete' | { readonly token: boolean } {
  const uid = metadata.annotations?.[names.uid] ?? ''
  if (metadata.deletionTimestamp !== undefined) return 'keep'
  if (account === undefined || (uid !== '' && uid !== account.metadata.uid)) return 'delete'
  const token = !data.token
  const isWhole =
    !token && data.namespace && (certificates === '' || data['ca.crt'] === base64(certificates))
  return isWhole ? 'keep' : { token }
}

/** The secret with what pods look for in it; what is there already stays, but for the certificates. */
function filled(
  secret: Stored<Secret>,
  { metadata: account }: Stored<ServiceAccount>,
  { certificates, token }: { readonly certificates: string; readonly token: string | undefined },
  names: TokenNames,
): Stored<Secret> {
  const { metadata, data = {} } = secret
  const annotations = {
    ...metadata.annotations,
    [names.account]: account.name,
    [names.uid]: account.uid,
  }
  return {
    ...secret,
    metadata: { ...metadata, annotations },
    data: {
      ...data,
      ...(certificates !== '' && { 'ca.crt': base64(certificates) }),
      ...(!data.namespace && { namespace: base64(metadata.namespace) }),
      ...(token !== undefined && { token: base64(token) }),
    },
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

/** An account does not name a secret that is gone. */
async function forgetSecret(client: Client, key: Key, account: string): Promise<Outcome> {
  const resource = client.resource(serviceAccounts)
  const found = await resource.find({ ...key, name: account })
  const listed = found?.secrets ?? []
  const left = listed.filter(({ name }) => name !== key.name)
  if (found === undefined || left.length === listed.length) return done
  try {
    await resource.update({ ...found, secrets: left })
    return done
  } catch (error) {
    if (isStatus(error, 'Conflict')) return forgetSecret(client, key, account)
    if (isStatus(error, 'NotFound')) return done
    throw error
  }
}

/** Another writer was first: its write wakes the controller again. */
async function settled(write: Promise<unknown>): Promise<Outcome> {
  try {
    await write
    return done
  } catch (error) {
    if (isStatus(error, 'NotFound')) return done
    if (isStatus(error, 'Conflict')) return again(0, 'it has changed meanwhile')
    throw error
  }
}
