import type {
  ConfigMapVolumeSource,
  EphemeralVolumeSource,
  ProjectedVolumeSource,
  VolumeProjection,
} from '../../../../generated/apis/core/v1/volume.ts'
import { parseQuantity } from '../../../kernel/values/quantity.ts'
import type { Check } from '../../../kernel/walker/field.ts'

/** The size of a temporary volume is not negative. */
export const emptyDirSize: Check<string> = (size) => {
  if (size.value === undefined || parseQuantity(size.value)?.negative !== true) return
  size.forbidden('', 'SizeLimit field must be a valid resource quantity')
}

/** A volume of the pod's own has a template of its claim. */
export const ephemeralVolume: Check<EphemeralVolumeSource> = (source) => {
  if (!source.value.volumeClaimTemplate) source.required('volumeClaimTemplate')
  source.visit('volumeClaimTemplate')
}

/** Files that are made of the entries of a named object. */
export const namedFiles: Check<ConfigMapVolumeSource> = (source) => {
  if (!source.value.name) source.required('name')
  source.visit('items')
}

/** One part of a volume that is put together; it has one source like a volume of its own. */
export const volumeProjection: Check<VolumeProjection> = (projection) => {
  const [, ...more] = Object.keys(projection.value) as (keyof VolumeProjection)[]
  for (const source of more) {
    projection.forbidden(source, 'may not specify more than 1 volume type')
  }
  projection.visit('secret', 'configMap', 'downwardAPI')
}

/** No two sources of a volume make the same file. */
export const projectedPaths: Check<ProjectedVolumeSource> = (volume) => {
  const seen = new Set<string>()
  volume.each('sources', ({ value: { serviceAccountToken } }) => {
    if (serviceAccountToken !== undefined && !serviceAccountToken.path)
      volume.required('path' as '')
  })
  volume.visit('sources')
  for (const { secret, configMap, downwardAPI, clusterTrustBundle } of volume.value.sources ?? []) {
    const made = [
      ...(secret?.items ?? []).map(({ path }) => [path, secret?.name]),
      ...(configMap?.items ?? []).map(({ path }) => [path, configMap?.name]),
      ...(downwardAPI?.items ?? []).map(({ path }) => [path, path]),
      ...(clusterTrustBundle ? [[clusterTrustBundle.path, clusterTrustBundle.path]] : []),
    ]
    for (const [path = '', shown] of made) {
      if (seen.has(path)) volume.invalid('', 'conflicting duplicate paths', shown)
      if (path !== '') seen.add(path)
    }
  }
}
