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
 * as texts, so `/a` and `/a/` are two, and what is absent is a text, too.
 */
export function checkMounts(container: Field<Container>, volumes: VolumesByName): void {
  const paths = new Set<string>()
  const devices = container.value.volumeDevices ?? []
  const deviceNames = new Set(devices.map(({ name = '' }) => name))
  const devicePaths = lastPaths(devices.map(({ name = '', devicePath = '' }) => [name, devicePath]))
  container.each('volumeMounts', (mount) => {
    const { name, subPath, subPathExpr } = mount.value
    if (!volumes.has(name)) mount.notFound('name', name ?? '')
    mount.afterwards(() => {
      mount.judgeMissing('mountPath', uniqueIn(paths))
      mount.judgeMissing('name', existsIn(deviceNames, 'in volumeDevices'))
      mount.judgeMissing('mountPath', existsIn(devicePaths, 'as a path in volumeDevices'))
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
function lastPaths(paths: readonly (readonly [string, string])[]): ReadonlySet<string> {
  return new Set(new Map(paths).values())
}

/** Notes a text; a problem if it was noted before. */
function uniqueIn(known: Set<string>): (text: string) => readonly string[] {
  return (text) => (known.size === known.add(text).size ? ['must be unique'] : [])
}

/** A problem of a text that is taken elsewhere. */
function existsIn(taken: ReadonlySet<string>, place: string): (text: string) => readonly string[] {
  return (text) => (taken.has(text) ? [`must not already exist ${place}`] : [])
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
  const mountNames = new Set(mounts.map(({ name = '' }) => name))
  const mountPaths = lastPaths(mounts.map(({ name = '', mountPath = '' }) => [name, mountPath]))
  container.each('volumeDevices', (device) => {
    device.checkText('name', uniqueIn(names))
    checkDeviceVolume(device, volumes)
    device.judgeMissing('devicePath', uniqueIn(paths))
    device.checkText('devicePath', backstepProblems)
    device.afterwards(() => {
      device.judgeMissing('name', existsIn(mountNames, 'in volumeMounts'))
      device.judgeMissing('devicePath', existsIn(mountPaths, 'as a path in volumeMounts'))
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
