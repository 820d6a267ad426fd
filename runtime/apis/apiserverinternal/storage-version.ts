import type {
  ServerStorageVersion,
  StorageVersion,
} from '../../../generated/apis/apiserverinternal/v1alpha1.ts'
import { change } from '../../kernel/values/change.ts'
import type { Check } from '../../kernel/walker/field.ts'
import type { Strategy } from '../strategy/strategy.ts'

/**
 * A record begins empty. What a server writes and serves it can also read, and the common version
 * is that of all.
 * With no servers, or with servers that disagree, there is no common version, and one that is given
 * is refused.
 */
export const storageVersion: Strategy<StorageVersion> = {
  prepareCreate: (object) => change(object, { status: {} }),
  checkStatus(object) {
    const status = object.child('status')
    const { storageVersions, commonEncodingVersion } = status.value
    status.each('storageVersions', checkServer)
    const versions = new Set(storageVersions?.map(({ encodingVersion }) => encodingVersion))
    const common = versions.size === 1 ? [...versions][0] : undefined
    if (commonEncodingVersion === common) return
    const why = 'should be the encoding version that all servers agree on'
    status.invalid('commonEncodingVersion', why)
  },
}

/**
 * Each missing version is one error at `decodableVersions`, the encoding version first, then the
 * served ones in their order.
 */
const checkServer: Check<ServerStorageVersion> = (server) => {
  const { encodingVersion = '', decodableVersions, servedVersions } = server.value
  const readable = decodableVersions ?? []
  const needs = (what: string) =>
    server.invalid('decodableVersions', `decodableVersions must include ${what}`, readable)
  if (!readable.includes(encodingVersion)) needs(`encodingVersion ${encodingVersion}`)
  for (const each of servedVersions ?? []) {
    if (!readable.includes(each)) needs(`the served version ${each}`)
  }
}
