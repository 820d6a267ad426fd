import { createHmac } from 'node:crypto'
import { type ConfigMap, configMaps } from '../../../../generated/apis/core/v1/config-map.ts'
import { type Secret, secrets } from '../../../../generated/apis/core/v1/secret.ts'
import { isStatus } from '../../../kernel/errors/status-error.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { again, done, type KeyController, watching } from '../../../reconcile/reconcile.ts'
import type { BuildContext } from '../../contract/build-controller.ts'
import { leftMs, textOf, tokenSecretScope } from './token-secrets.ts'

/** What the keys of signatures begin with; the id of the token follows. */
const signatureKey = 'jws-kubeconfig-'

/**
 * Signs what a node is to know of the cluster before it joins, with each bootstrap token that is for signing.
 *
 *   reads    ConfigMap `cluster-info` of the public namespace, Secret of bootstrap tokens
 *   writes   ConfigMap: update
 *   wakes    when either changes, and when a token expires
 *   settles  when it has the signature of each token that is good, and no other
 */
export function bootstrapSignerController({
  name,
  platform,
}: BuildContext): readonly KeyController[] {
  const key = { namespace: `${platform.prefix}-public`, name: 'cluster-info' }
  const content = `${platform.prefix}config`
  return [
    {
      name,
      concurrency: 1,
      watches: [
        watching(configMaps, () => [key], {
          namespace: key.namespace,
          fieldSelector: `metadata.name=${key.name}`,
        }),
        watching(secrets, () => [key], tokenSecretScope(platform)),
      ],
      async reconcile(_, { client, cached, clock, signal }) {
        const map = cached(configMaps).get(key)
        if (map === undefined) return done
        const tokens = cached(secrets).list()
        const data = decideSignatures(map, tokens, { content, now: clock.now() })
        try {
          if (data !== undefined)
            await client.resource(configMaps).update({ ...map, data }, {}, signal)
        } catch (error) {
          if (isStatus(error, 'Conflict')) return again(0, 'it has changed meanwhile')
          if (!isStatus(error, 'NotFound')) throw error
        }
        const left = Math.min(
          ...tokens.map((one) => leftMs(one, clock.now())).filter((ms) => ms > 0),
        )
        return Number.isFinite(left) ? again(left, 'a token expires') : done
      },
    },
  ]
}

/** What a signature is made of. */
interface Signing {
  /** The key of what is signed. */
  readonly content: string
  readonly now: number
}

/** The data that the map is to have; undefined if it has them, or has nothing to sign. */
export function decideSignatures(
  { data = {} }: Pick<Stored<ConfigMap>, 'data'>,
  tokens: readonly Stored<Secret>[],
  { content, now }: Signing,
): ConfigMap['data'] {
  const signed = data[content]
  if (signed === undefined) return undefined
  const entries = Object.entries(data)
  const next = new Map(entries.filter(([key]) => !key.startsWith(signatureKey)))
  for (const secret of tokens) {
    const id = signingId(secret, now)
    if (id === undefined) continue
    next.set(signatureKey + id, detachedSignature(signed, id, textOf(secret, 'token-secret')))
  }
  const isSame =
    next.size === entries.length && entries.every(([key, one]) => next.get(key) === one)
  return isSame ? undefined : Object.fromEntries(next)
}

/** The id of a token that is for signing, and good; its secret is named after it. */
function signingId(secret: Stored<Secret>, now: number): string | undefined {
  const [, named] = /^bootstrap-token-([a-z0-9]{6})$/.exec(secret.metadata.name) ?? []
  const isGood =
    named === textOf(secret, 'token-id') &&
    textOf(secret, 'token-secret') !== '' &&
    textOf(secret, 'usage-bootstrap-signing') === 'true' &&
    leftMs(secret, now) > 0
  return isGood ? named : undefined
}

/** A signature in compact form without the content: `<header>..<signature>`. */
function detachedSignature(content: string, kid: string, key: string): string {
  const header = base64url(JSON.stringify({ alg: 'HS256', kid }))
  const signature = createHmac('sha256', key).update(`${header}.${base64url(content)}`)
  return `${header}..${signature.digest('base64url')}`
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url')
}
