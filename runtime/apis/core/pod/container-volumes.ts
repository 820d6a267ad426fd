import type {
  Container,
  VolumeDevice,
  VolumeMount,
} from '../../../../generated/apis/core/v1/container.ts'
import type { Volume } from '../../../../generated/apis/core/v1/volume.ts'
import { backstepProblems, belowProblems } from '../../../kernel/meta/file-paths.ts'
import { forbidden, invalidAll } from '../../../kernel/validation/field-errors.ts'
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
  const devices = container.value.volumeDevices ?? []
  const deviceNames = new Set(devices.map(({ name }) => name))
  const devicePaths = lastPaths(devices.map(({ name, devicePath }) => [name, devicePath]))
  container.each('volumeMounts', (mount) => {
    const { name, mountPath, subPath, subPathExpr } = mount.value
    if (!volumes.has(name)) mount.notFound('name', name ?? '')
    mount.afterwards(() => {
      if (mountPath && paths.has(mountPath)) mount.invalid('mountPath', 'must be unique')
      if (mountPath) paths.add(mountPath)
      if (name && deviceNames.has(name)) {
        mount.invalid('name', 'must not already exist in volumeDevices')
      }
      if (mountPath && devicePaths.has(mountPath)) {
        mount.invalid('mountPath', 'must not already exist as a path in volumeDevices')
      }
      reportAtList(container, 'subPath', subPath, belowProblems(subPath ?? ''))
      if (subPath && subPathExpr) {
        mount.invalid('subPathExpr', 'subPathExpr and subPath are mutually exclusive')
      }
      reportAtList(container, 'subPathExpr', subPathExpr, belowProblems(subPathExpr ?? ''))
      mount.tellHere('mountPropagation', container.path('volumeMounts.mountPropagation'))
      checkPropagation(container, mount)
    })
  })
}

/** Paths that are taken: of a volume with several, the last one alone, as in release 1.29. */
function lastPaths(
  paths: readonly (readonly [string | undefined, string | undefined])[],
): ReadonlySet<string | undefined> {
  return new Set(new Map(paths).values())
}

/** Only what has all rights on the node may show its own mounts to others. */
function checkPropagation(container: Field<Container>, mount: Field<VolumeMount>): void {
  const privileged = container.value.securityContext?.privileged === true
  if (mount.value.mountPropagation !== 'Bidirectional' || privileged) return
  const why = 'Bidirectional mount propagation is available only to privileged containers'
  container.report(forbidden(container.path('volumeMounts.mountPropagation'), why))
}

/** Errors of a path in a mount stand at the list of mounts. */
function reportAtList(
  container: Field<Container>,
  key: 'subPath' | 'subPathExpr',
  path: string | undefined,
  problems: readonly string[],
): void {
  if (path) container.report(...invalidAll(container.path(`volumeMounts.${key}`), path, problems))
}

/**
 * Raw devices lead to volumes that are there, each at a path of its own where nothing is mounted.
 * A volume that is mounted in the same container cannot be a device as well.
 */
export function checkDevices(container: Field<Container>, volumes: VolumesByName): void {
  const [names, paths] = [new Set<string>(), new Set<string>()]
  const mounts = container.value.volumeMounts ?? []
  const mountNames = new Set(mounts.map(({ name }) => name))
  const mountPaths = lastPaths(mounts.map(({ name, mountPath }) => [name, mountPath]))
  const isRepeated = (set: Set<string>, value: string) => set.size === set.add(value).size
  container.each('volumeDevices', (device) => {
    const { name, devicePath } = device.value
    if (name && isRepeated(names, name)) device.invalid('name', 'must be unique')
    checkDeviceVolume(device, volumes)
    if (devicePath && isRepeated(paths, devicePath)) device.invalid('devicePath', 'must be unique')
    device.checkText('devicePath', backstepProblems)
    device.afterwards(() => {
      if (name && mountNames.has(name)) {
        device.invalid('name', 'must not already exist in volumeMounts')
      }
      if (devicePath && mountPaths.has(devicePath)) {
        device.invalid('devicePath', 'must not already exist as a path in volumeMounts')
      }
    })
  })
}

/** A volume of which a device can be made: claimed, not a folder. */
function checkDeviceVolume(device: Field<VolumeDevice>, volumes: VolumesByName): void {
  const { name } = device.value
  const volume = name === undefined ? undefined : volumes.get(name)
  if (volume === undefined) device.notFound('name', name ?? '')
  if (!volume || volume.persistentVolumeClaim || volume.ephemeral) return
  const why = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode'
  device.invalid('name', why)
}
