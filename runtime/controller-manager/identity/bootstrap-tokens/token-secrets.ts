import type { Secret } from '../../../../generated/apis/core/v1/secret.ts'
import { bootstrapTokenLeftMs } from '../../../auth/auth.ts'
import type { Platform } from '../../../kernel/descriptors/platform.ts'
import type { Stored } from '../../../kernel/meta/object.ts'

/** Where the secrets of bootstrap tokens are: what a watch of them says. */
export function tokenSecretScope({ prefix, domain }: Platform) {
  return { namespace: `${prefix}-system`, fieldSelector: `type=bootstrap.${domain}/token` }
}

/** A value of a secret as text; empty where it is not there. */
export function textOf({ data = {} }: Pick<Secret, 'data'>, key: string): string {
  return Buffer.from(data[key] ?? '', 'base64').toString('utf8')
}

/** Milliseconds that the token of a secret is still good for. */
export function leftMs(secret: Pick<Stored<Secret>, 'data'>, now: number): number {
  return bootstrapTokenLeftMs(textOf(secret, 'expiration'), now)
}
