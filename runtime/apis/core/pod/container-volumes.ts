import type { Container } from '../../../../generated/apis/core/v1/container.ts'
import type { Volume } from '../../../../generated/apis/core/v1/volume.ts'
import { backstepProblems, belowProblems } from '../../../kernel/meta/file-paths.ts'
import type { Field } from '../../../kernel/walker/field.ts'
import type { Loose } from '../../../kernel/walker/loose.ts'

/** The volumes of a pod, by the names that its containers use. */
export type VolumesByName = ReadonlyMap<string | undefined, Loose<Volume>>

/**
 * Mounts lead to volumes that are there, each to a path of its own and below the volume's root.
 * Errors come mount by mount: volume, path, subPath, subPathExpr, propagation. Paths are compared
 * as texts, so `/a` and `/a/` are two.
 */
export function checkMounts(container: Field<Container>, volumes: VolumesByName): void {
  const paths = new Set<string>()
  const privileged = container.value.securityContext?.privileged === true
  container.each('volumeMounts', (mount) => {
    const { name, mountPath, subPath, subPathExpr, mountPropagation } = mount.value
    if (name && !volumes.has(name)) mount.notFound('name')
    if (mountPath && paths.has(mountPath)) mount.invalid('mountPath', 'must be unique')
    if (mountPath) paths.add(mountPath)
    mount.checkText('subPath', belowProblems)
    if (subPath && subPathExpr) {
      mount.invalid('subPathExpr', 'subPathExpr and subPath are mutually exclusive')
    }
    mount.checkText('subPathExpr', belowProblems)
    if (mountPropagation === 'Bidirectional' && !privileged) {
      const why = 'Bidirectional mount propagation is available only to privileged containers'
      mount.forbidden('mountPropagation', why)
    }
  })
}

/**
 * Raw devices lead to volumes that are there, each at a path of its own where nothing is mounted.
 * A volume that is mounted in the same container cannot be a device as well.
 */
export function checkDevices(container: Field<Container>, volumes: VolumesByName): void {
  const [names, paths] = [new Set<string>(), new Set<string>()]
  const mounted = new Set(container.value.volumeMounts?.map(({ name }) => name))
  const isRepeated = (set: Set<string>, value: string) => set.size === set.add(value).size
  container.each('volumeDevices', (device) => {
    const { name, devicePath } = device.value
    const volume = name === undefined ? undefined : volumes.get(name)
    if (name && volume === undefined) device.notFound('name')
    if (volume && !volume.persistentVolumeClaim && !volume.ephemeral) {
      const why =
        'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode'
      device.invalid('name', why)
    }
    if (name && (isRepeated(names, name) || mounted.has(name))) {
      device.invalid('name', 'must be unique')
    }
    if (devicePath && isRepeated(paths, devicePath)) device.invalid('devicePath', 'must be unique')
    device.checkText('devicePath', backstepProblems)
  })
}
