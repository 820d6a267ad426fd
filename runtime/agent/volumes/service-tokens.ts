import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import { serviceAccounts } from '../../../generated/apis/core/v1/service-account.ts'
import type { ServiceAccountTokenProjection } from '../../../generated/apis/core/v1/volume.ts'
import type { Client } from '../../client/client.ts'
import type { Clock } from '../../kernel/async/clock.ts'
import type { Stored } from '../../kernel/meta/object.ts'

/** Gives tokens of the accounts of pods. */
export interface ServiceTokens {
  token(pod: Stored<Pod>, projection: ServiceAccountTokenProjection): Promise<string>
  /** Nothing of the pod is kept any more. */
  forget(uid: string): void
}

const usualSeconds = 3600
/** A token is renewed after so much of its life, or of a day. */
const renewedAt = 0.8
const dayMs = 86_400_000

interface KnownToken {
  readonly text: string
  readonly renewAt: number
}

/** Tokens that a server gives, bound to the pod, which are renewed before they end. */
export function serverTokens(client: Client, clock: Clock): ServiceTokens {
  const known = new Map<string, Map<string, KnownToken>>()
  return {
    async token(pod, { audience, expirationSeconds = usualSeconds }) {
      const { namespace, name, uid } = pod.metadata
      const own = known.get(uid) ?? new Map<string, KnownToken>()
      known.set(uid, own)
      const key = `${audience ?? ''}\n${expirationSeconds}`
      const found = own.get(key)
      if (found !== undefined && clock.now() < found.renewAt) return found.text
      const body = {
        spec: {
          audiences: audience === undefined ? [] : [audience],
          expirationSeconds,
          boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name, uid },
        },
      }
      const account = pod.spec?.serviceAccountName ?? 'default'
      const made = await client
        .resource(serviceAccounts)
        .in(namespace)
        .createSubresource<{ status: { token: string; expirationTimestamp: string } }>(
          account,
          'token',
          body,
        )
      const lifeMs = Date.parse(made.status.expirationTimestamp) - clock.now()
      const renewAt = clock.now() + Math.min(lifeMs, dayMs) * renewedAt
      own.set(key, { text: made.status.token, renewAt })
      return made.status.token
    },
    forget: (uid) => void known.delete(uid),
  }
}
