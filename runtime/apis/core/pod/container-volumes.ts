/** What a container sees of the volumes of its pod. */
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { forbidden, invalid, notFound } from '../../types/field-errors.ts'
import type { Container, VolumeDevice, VolumeMount } from '../../types/shapes.ts'
import { checkBelow, checkNoBacksteps } from '../volume/volume-checks.ts'

/** Mounts lead to volumes that are there, each to a place of its own and below the volume's root. */
export function checkMounts(
  path: string,
  { volumeMounts, securityContext }: Container,
  volumes: ReadonlySet<string | undefined>,
): readonly FieldError[] {
  const paths = new Set<string>()
  const privileged = securityContext?.privileged === true
  return (volumeMounts ?? []).flatMap((mount, index) => {
    const at = `${path}[${index}]`
    const { name, mountPath } = mount
    const twice = mountPath !== undefined && paths.has(mountPath)
    if (mountPath) paths.add(mountPath)
    return [
      ...(name && !volumes.has(name) ? [notFound(`${at}.name`, name)] : []),
      ...(twice ? [invalid(`${at}.mountPath`, mountPath, 'must be unique')] : []),
      ...checkPart(at, mount),
      ...(mount.mountPropagation === 'Bidirectional' && !privileged
        ? [forbidden(`${at}.mountPropagation`, bothWays)]
        : []),
    ]
  })
}

const bothWays = 'Bidirectional mount propagation is available only to privileged containers'

/** The part of a volume that is mounted is named once, as it is or with variables in it. */
function checkPart(path: string, { subPath, subPathExpr }: VolumeMount): readonly FieldError[] {
  const both = 'subPathExpr and subPath are mutually exclusive'
  return [
    ...checkBelow(`${path}.subPath`, subPath ?? ''),
    ...(subPath && subPathExpr ? [invalid(`${path}.subPathExpr`, subPathExpr, both)] : []),
    ...checkBelow(`${path}.subPathExpr`, subPathExpr ?? ''),
  ]
}

/** Raw devices lead to volumes that are there, each at a path of its own where nothing is mounted. */
export function checkDevices(
  path: string,
  { volumeDevices, volumeMounts }: Container,
  volumes: ReadonlySet<string | undefined>,
): readonly FieldError[] {
  const [names, paths] = [new Set<string>(), new Set<string>()]
  const mounted = new Set((volumeMounts ?? []).map(({ name }) => name))
  const twice = (set: Set<string>, value: string) => set.size === set.add(value).size
  return (volumeDevices ?? []).flatMap(({ name, devicePath }: VolumeDevice, index) => {
    const at = `${path}[${index}]`
    return [
      ...(name && !volumes.has(name) ? [notFound(`${at}.name`, name)] : []),
      ...(name && (twice(names, name) || mounted.has(name))
        ? [invalid(`${at}.name`, name, 'must be unique')]
        : []),
      ...(devicePath && twice(paths, devicePath)
        ? [invalid(`${at}.devicePath`, devicePath, 'must be unique')]
        : []),
      ...checkNoBacksteps(`${at}.devicePath`, devicePath),
    ]
  })
}
