/** The rules of StorageVersion. */
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { invalid } from '../types/field-errors.ts'
import type { List } from '../types/shapes.ts'

interface ServerVersion {
  readonly apiServerID?: string
  readonly encodingVersion?: string
  readonly decodableVersions?: List<string>
  readonly servedVersions?: List<string>
}

/** What the rules and cells of StorageVersion look at. */
export interface StorageVersion extends ApiObject {
  readonly status?: {
    readonly storageVersions?: List<ServerVersion>
    readonly commonEncodingVersion?: string
  }
}

/** A record begins empty. What a server writes and serves it can also read, and the common version is that of all. */
export const storageVersion: Strategy = {
  prepareCreate: (object) => ({ ...object, status: {} }) as StorageVersion,
  validate(object) {
    const { storageVersions, commonEncodingVersion } = (object as StorageVersion).status ?? {}
    const servers = storageVersions ?? []
    const versions = new Set(servers.map(({ encodingVersion }) => encodingVersion))
    const common = versions.size === 1 ? [...versions][0] : undefined
    const path = 'status.commonEncodingVersion'
    return [
      ...servers.flatMap((each, at) => checkServer(`status.storageVersions[${at}]`, each)),
      ...(commonEncodingVersion === common
        ? []
        : [
            invalid(
              path,
              commonEncodingVersion,
              'should be the encoding version that all servers agree on',
            ),
          ]),
    ]
  },
}

function checkServer(
  path: string,
  { encodingVersion = '', decodableVersions, servedVersions }: ServerVersion,
): readonly FieldError[] {
  const readable = decodableVersions ?? []
  const place = `${path}.decodableVersions`
  return [
    ...(readable.includes(encodingVersion)
      ? []
      : [
          invalid(
            place,
            readable,
            `decodableVersions must include encodingVersion ${encodingVersion}`,
          ),
        ]),
    ...(servedVersions ?? [])
      .filter((each) => !readable.includes(each))
      .map((each) =>
        invalid(place, readable, `decodableVersions must include the served version ${each}`),
      ),
  ]
}
