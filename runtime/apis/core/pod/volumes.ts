import type {
  ConfigMapProjection,
  ConfigMapVolumeSource,
  EphemeralVolumeSource,
  ProjectedVolumeSource,
  SecretProjection,
} from '../../../../generated/apis/core/v1/volume.ts'
import { parseQuantity } from '../../../kernel/values/quantity.ts'
import type { Check, Field } from '../../../kernel/walker/field.ts'
import { checkDownwardFile } from './downward-api.ts'

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

/**
 * A volume that is put together of parts: each has one source like a volume of its own, and no two make the same file. Errors
 * come part by part and file by file; those of a path that is taken, and of a token without one, stand at the volume.
 */
export const projectedFiles: Check<ProjectedVolumeSource> = (volume) => {
  const paths = new Set<string>()
  const claim = (path: string, shown: string): void => {
    if (paths.has(path)) volume.invalid('', 'conflicting duplicate paths', shown)
    paths.add(path)
  }
  volume.tellHere('defaultMode')
  volume.each('sources', (part) => {
    for (const source of ['secret', 'configMap'] as const) {
      part.when(source, (files) => checkEntries(files, claim))
    }
    part.when('downwardAPI', (files) =>
      files.each('items', (file) => {
        checkDownwardFile(files, file)
        if (file.value.path) claim(file.value.path, file.value.path)
      }),
    )
    part.when('serviceAccountToken', (token) => {
      token.tellHere('expirationSeconds')
      if (!token.value.path) volume.required('path' as '')
    })
    part.when('clusterTrustBundle', ({ value: { path = '' } }) => {
      part.tellHere('clusterTrustBundle')
      claim(path, path)
    })
    if (Object.keys(part.value).length > 1)
      part.forbidden('', 'may not specify more than 1 volume type')
  })
}

/** The files of one part, and the path that each of them claims. */
function checkEntries(
  files: Field<SecretProjection | ConfigMapProjection>,
  claim: (path: string, shown: string) => void,
): void {
  const { name = '' } = files.value
  if (name === '') files.required('name')
  files.each('items', (entry) => {
    entry.tellHere('key')
    entry.tellHere('path')
    entry.visit('path')
    entry.tellHere('mode')
    if (entry.value.path) claim(entry.value.path, name)
  })
}
