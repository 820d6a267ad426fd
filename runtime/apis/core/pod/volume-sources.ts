/** What a schema cannot say of where the contents of a pod's volume come from. */

import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { parseQuantity } from '../../../kernel/values/quantity.ts'
import { forbidden, invalid, required } from '../../types/field-errors.ts'
import type { List } from '../../types/shapes.ts'
import { checkBelow, checkFilePath, checkNoBacksteps } from '../volume/volume-checks.ts'
import { checkDownwardFiles } from './downward-api.ts'

interface Keys {
  readonly name?: string
  readonly secretName?: string
  readonly items?: List<{ readonly path?: string }>
}

type Files = Parameters<typeof checkDownwardFiles>[1]

interface Projection {
  readonly secret?: Keys
  readonly configMap?: Keys
  readonly downwardAPI?: { readonly items?: Files }
  readonly serviceAccountToken?: { readonly path?: string; readonly expirationSeconds?: number }
}

/** The sources that rules look at, of all that there are. */
export interface VolumeSources {
  readonly hostPath?: { readonly path?: string }
  readonly emptyDir?: { readonly sizeLimit?: string }
  readonly gitRepo?: { readonly directory?: string }
  readonly secret?: Keys
  readonly configMap?: Keys
  readonly downwardAPI?: { readonly items?: Files }
  readonly projected?: { readonly sources?: List<Projection> }
  readonly ephemeral?: { readonly volumeClaimTemplate?: object }
  readonly nfs?: { readonly server?: string; readonly path?: string }
}

/** Everything wrong with the source of a volume. */
export function checkVolumeSource(path: string, volume: VolumeSources): readonly FieldError[] {
  const { hostPath, emptyDir, gitRepo, ephemeral, nfs, projected, downwardAPI } = volume
  if (emptyDir !== undefined && emptyDir.sizeLimit === undefined) return none
  const size = emptyDir?.sizeLimit
  const negative = size !== undefined && parseQuantity(size)?.negative === true
  const template = `${path}.ephemeral.volumeClaimTemplate`
  return [
    ...checkNoBacksteps(`${path}.hostPath.path`, hostPath?.path),
    ...(negative ? [forbidden(`${path}.emptyDir.sizeLimit`, sizeRule)] : []),
    ...checkBelow(`${path}.gitRepo.directory`, gitRepo?.directory ?? ''),
    ...(nfs && !nfs.server ? [required(`${path}.nfs.server`)] : []),
    ...(nfs?.path && !nfs.path.startsWith('/')
      ? [invalid(`${path}.nfs.path`, nfs.path, 'must be an absolute path')]
      : []),
    ...(ephemeral && !ephemeral.volumeClaimTemplate ? [required(template)] : []),
    ...checkKeys(`${path}.secret`, volume.secret, 'secretName'),
    ...checkKeys(`${path}.configMap`, volume.configMap, 'name'),
    ...checkDownwardFiles(`${path}.downwardAPI.items`, downwardAPI?.items),
    ...(projected?.sources ?? []).flatMap((source, index) =>
      checkProjection(`${path}.projected.sources[${index}]`, source),
    ),
  ]
}

const none: readonly FieldError[] = []
const sizeRule = 'SizeLimit field must be a valid resource quantity'

function checkKeys(
  path: string,
  keys: Keys | undefined,
  name: 'name' | 'secretName',
): readonly FieldError[] {
  if (keys === undefined) return []
  return [
    ...(keys[name] ? [] : [required(`${path}.${name}`)]),
    ...(keys.items ?? []).flatMap(({ path: file }, index) =>
      file ? checkFilePath(`${path}.items[${index}].path`, file) : [],
    ),
  ]
}

/** One part of a volume that is put together; it has one source like a volume of its own. */
function checkProjection(path: string, projection: Projection): readonly FieldError[] {
  const [, ...more] = Object.keys(projection)
  const { serviceAccountToken: token } = projection
  return [
    ...more.map((source) =>
      forbidden(`${path}.${source}`, 'may not specify more than 1 volume type'),
    ),
    ...checkKeys(`${path}.secret`, projection.secret, 'name'),
    ...checkKeys(`${path}.configMap`, projection.configMap, 'name'),
    ...checkDownwardFiles(`${path}.downwardAPI.items`, projection.downwardAPI?.items),
    ...(token?.path ? checkFilePath(`${path}.serviceAccountToken.path`, token.path) : []),
  ]
}
