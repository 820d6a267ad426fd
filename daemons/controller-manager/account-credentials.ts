import { serviceAccounts } from '../../generated/apis/core/v1/service-account.ts'
import type { Client, CredentialSource } from '../../runtime/client/client.ts'
import { accountNamespace } from '../../runtime/controller-manager/controller-manager.ts'
import type { Clock } from '../../runtime/kernel/async/clock.ts'
import type { Platform } from '../../runtime/kernel/descriptors/platform.ts'
import { isStatus } from '../../runtime/kernel/errors/status-error.ts'

/** Seconds that a token is good for, and the part of them after which another one is requested. */
const tokenSeconds = 3600
const usedPart = 0.8

interface TokenAnswer {
  readonly status: { readonly token: string; readonly expirationTimestamp: string }
}

/** Tokens of a service account, which is made if it is not there; a new one before the last has expired. */
export function accountCredentials(
  client: Client,
  account: string,
  platform: Pick<Platform, 'api' | 'prefix'>,
  clock: Clock,
  ca: string | undefined,
): CredentialSource {
  let known: { readonly token: string; readonly ca?: string } | undefined
  let until = 0
  let requested: Promise<NonNullable<typeof known>> | undefined
  const accounts = client.resource(serviceAccounts).in(accountNamespace(platform))
  const request = async () => {
    const begun = clock.now()
    const send = () =>
      accounts.createSubresource<TokenAnswer>(account, 'token', {
        apiVersion: `authentication.${platform.api}/v1`,
        kind: 'TokenRequest',
        metadata: {},
        spec: { expirationSeconds: tokenSeconds },
      })
    const { status } = await send().catch(async (error: unknown) => {
      if (!isStatus(error, 'NotFound')) throw error
      await accounts.create({ metadata: { name: account } }).catch(unlessThere)
      return send()
    })
    until = begun + (Date.parse(status.expirationTimestamp) - begun) * usedPart
    known = { token: status.token, ...(ca !== undefined && { ca }) }
    return known
  }
  return {
    current() {
      if (known !== undefined && clock.now() < until) return known
      requested ??= request().finally(() => {
        requested = undefined
      })
      return requested
    },
    refused(credentials) {
      if (credentials === known) known = undefined
      return true
    },
  }
}

function unlessThere(error: unknown): void {
  if (!isStatus(error, 'AlreadyExists')) throw error
}
