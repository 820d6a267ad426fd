import type { APIService } from '../../generated/apis/apiregistration/v1.ts'

/** A group version for which another server answers, as its object says. */
export interface RemoteVersion {
  /** The name of the object. */
  readonly name: string
  readonly group: string
  readonly version: string
  /** Groups come in the descending order of these. */
  readonly groupPriority: number
  /** Versions of a group come in the descending order of these. */
  readonly versionPriority: number
  readonly service: RemoteService
  /** Certificates of authorities in PEM; those of the system without any. */
  readonly authorities: string
  /** The certificate of the server is not looked at. */
  readonly insecure: boolean
  /** The condition Available of the object. */
  readonly isAvailable: boolean
}

/** The service by which a server is found. */
export interface RemoteService {
  readonly namespace: string
  readonly name: string
  readonly port: number
}

/** What an object says of another server; undefined for one of a group version that this server answers for itself. */
export function remoteVersion({ metadata, spec, status }: APIService): RemoteVersion | undefined {
  const { service } = spec ?? {}
  if (spec === undefined || service === undefined || service === null) return undefined
  const { group = '', version = '', caBundle = '', insecureSkipTLSVerify = false } = spec
  const { namespace = '', name = '', port = 443 } = service
  return {
    name: metadata.name ?? '',
    ...{ group, version },
    groupPriority: spec.groupPriorityMinimum,
    versionPriority: spec.versionPriority,
    service: { namespace, name, port },
    authorities: Buffer.from(caBundle, 'base64').toString(),
    insecure: insecureSkipTLSVerify,
    isAvailable: (status?.conditions ?? []).some(
      (one) => one.type === 'Available' && one.status === 'True',
    ),
  }
}

/** `apis/<group>/<version>`: the path below which another server answers, and the key of its schema document. */
export function remotePath({ group, version }: Pick<RemoteVersion, 'group' | 'version'>): string {
  return `apis/${group}/${version}`
}
