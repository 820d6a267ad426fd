/** The volumes of a pod on its node: folders and files that are there before its containers, and follow what they are made of. */
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import type { Container } from '../../../generated/apis/core/v1/container.ts'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type {
  DownwardAPIVolumeFile,
  HostPathVolumeSource,
  KeyToPath,
  Volume,
  VolumeProjection,
} from '../../../generated/apis/core/v1/volume.ts'
import { type Mount, removeFolder } from '../../container-runtime/container-runtime.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { claimNameOf, podSpecOf } from '../../pods/pods.ts'
import type { ConfigObjects, Entries } from '../containers/config-objects.ts'
import { type Allocatable, fieldValue, resourceValue } from '../containers/downward-values.ts'
import { expand } from '../containers/expand.ts'
import { writeFiles } from './atomic-files.ts'
import { makeEmptyFolder, unmountBelow } from './empty-folder.ts'
import type { ServiceTokens } from './service-tokens.ts'
import type { VolumeClaims } from './volume-claims.ts'
import { VolumeError } from './volume-error.ts'
import { shareWithGroup } from './volume-group.ts'
import { partOf } from './volume-parts.ts'

/** What volumes are made of. */
export interface VolumeFacts {
  readonly pod: Stored<Pod>
  /** The folder of the pod. */
  readonly folder: string
  readonly objects: ConfigObjects
  readonly tokens: ServiceTokens | undefined
  readonly claims: VolumeClaims | undefined
  readonly hostIP: string
  readonly allocatable: Allocatable
}

/** Where the volumes of a pod stand, by name. */
export type VolumePaths = ReadonlyMap<string, string>

const usualMode = 0o644

/** Makes the volumes of a pod, or brings them up to date. @throws VolumeError for one that cannot be had. */
export async function makeVolumes(facts: VolumeFacts): Promise<VolumePaths> {
  const paths = new Map<string, string>()
  for (const volume of podSpecOf(facts.pod).volumes ?? []) {
    try {
      paths.set(volume.name, await makeVolume(volume, facts))
    } catch (error) {
      const why = `MountVolume.SetUp failed for volume "${volume.name}" : ${errorText(error)}`
      throw new VolumeError(why, { cause: error })
    }
  }
  return paths
}

/** True for a volume that no container writes to: what it is made of stands elsewhere, or its claim says so. */
function isReadonly(volume: Volume): boolean {
  const { configMap, secret, projected, downwardAPI, persistentVolumeClaim } = volume
  return persistentVolumeClaim?.readOnly ?? Boolean(configMap || secret || projected || downwardAPI)
}

/** Removes what volumes left in the folder of a pod, where nothing is mounted any more then. */
export async function removeVolumes(folder: string): Promise<void> {
  unmountBelow(folder)
  await removeFolder(join(folder, 'volumes'))
}

async function makeVolume(volume: Volume, facts: VolumeFacts): Promise<string> {
  const { name, emptyDir, hostPath, configMap, secret, projected, downwardAPI } = volume
  const { namespace } = facts.pod.metadata
  const path = join(facts.folder, 'volumes', name)
  if (hostPath !== undefined) return hostPathOf(hostPath)
  if (emptyDir !== undefined) {
    makeEmptyFolder(path, emptyDir)
    shareWithGroup(path, facts.pod, { readonly: false, isNew: false })
    return path
  }
  if (volume.persistentVolumeClaim || volume.ephemeral) return persistentPath(volume, facts)
  const files = new Map<string, { bytes: Buffer; mode: number }>()
  const add = (
    found: Entries,
    items: readonly KeyToPath[] | undefined,
    mode: number,
    optional: boolean,
    what: string,
  ) => {
    const chosen = items ?? [...found.keys()].map((key) => ({ key, path: key }))
    for (const item of chosen as readonly KeyToPath[]) {
      const bytes = found.get(item.key)
      if (bytes !== undefined) files.set(inside(item.path), { bytes, mode: item.mode ?? mode })
      else if (!optional) throw new VolumeError(`references non-existent ${what} key: ${item.key}`)
    }
  }
  const entries = async (kind: 'configMap' | 'secret', of: string, optional: boolean) => {
    const found = await facts.objects[kind](namespace, of)
    if (found === undefined && !optional)
      throw new VolumeError(`${kind.toLowerCase()} "${of}" not found`)
    return found ?? new Map()
  }
  if (configMap !== undefined) {
    const { name: of = '', items, defaultMode = usualMode, optional = false } = configMap
    add(await entries('configMap', of, optional), items, defaultMode, optional, 'config')
  } else if (secret !== undefined) {
    const { secretName = '', items, defaultMode = usualMode, optional = false } = secret
    add(await entries('secret', secretName, optional), items, defaultMode, optional, 'secret')
  } else if (downwardAPI !== undefined) {
    addDownward(downwardAPI.items ?? [], downwardAPI.defaultMode ?? usualMode)
  } else if (projected !== undefined) {
    const { sources, defaultMode = usualMode } = projected
    for (const source of sources ?? []) await addProjection(source, defaultMode)
  } else {
    throw new VolumeError(`volume "${name}" is of a type that this agent does not have`)
  }
  const isNew = writeFiles(path, files)
  shareWithGroup(path, facts.pod, { readonly: true, isNew })
  return path

  async function addProjection(source: VolumeProjection, mode: number): Promise<void> {
    const { configMap: map, secret: hidden, downwardAPI: own, serviceAccountToken: token } = source
    if (map) {
      const { name: of = '', items, optional = false } = map
      add(await entries('configMap', of, optional), items, mode, optional, 'config')
    }
    if (hidden) {
      const { name: of = '', items, optional = false } = hidden
      add(await entries('secret', of, optional), items, mode, optional, 'secret')
    }
    if (own) addDownward(own.items ?? [], mode)
    if (token) {
      if (facts.tokens === undefined) {
        throw new VolumeError('tokens can be had from an API server only')
      }
      const bytes = Buffer.from(await facts.tokens.token(facts.pod, token))
      files.set(inside(token.path), { bytes, mode })
    }
  }

  function addDownward(items: readonly DownwardAPIVolumeFile[], mode: number): void {
    for (const { path: at, fieldRef, resourceFieldRef, mode: own = mode } of items) {
      const { containers = [], initContainers = [] } = podSpecOf(facts.pod)
      const named = [...containers, ...initContainers].find(
        (one) => one.name === resourceFieldRef?.containerName,
      )
      const value = fieldRef
        ? fieldValue(facts.pod, fieldRef.fieldPath, facts.hostIP)
        : resourceFieldRef && named && resourceValue(named, resourceFieldRef, facts.allocatable)
      if (value === undefined) throw new VolumeError(`${at}: there is no such value`)
      files.set(inside(at), { bytes: Buffer.from(value), mode: own })
    }
  }
}

/** Where the volume of a claim stands, which has to be on this machine. */
async function persistentPath(volume: Volume, { pod, claims }: VolumeFacts): Promise<string> {
  const { metadata } = pod
  if (claims === undefined) throw new VolumeError('claims can be had from an API server only')
  const owner = volume.ephemeral && metadata.uid
  const claim = claimNameOf(volume, metadata.name) ?? ''
  const { spec = {}, metadata: found } = await claims.volumeOf(metadata.namespace, claim, owner)
  if (spec.volumeMode === 'Block') throw new VolumeError(`volume ${found.name} is a device`)
  if (spec.hostPath !== undefined) return hostPathOf(spec.hostPath)
  if (spec.local !== undefined) {
    const path = hostPathOf({ path: spec.local.path, type: 'Directory' })
    if (!isReadonly(volume)) shareWithGroup(path, pod, { readonly: false, isNew: false })
    return path
  }
  throw new VolumeError(`volume ${found.name} is of a type that this agent does not have`)
}

/** A path that stays below the folder. */
function inside(path: string): string {
  const normal = posix.normalize(path)
  if (normal.startsWith('/') || normal.split('/')[0]?.startsWith('..')) {
    throw new VolumeError(`path ${JSON.stringify(path)} leads out of its volume`)
  }
  return normal
}

/** What a type of the field says that has to be there, or is made. */
function hostPathOf({ path, type = '' }: HostPathVolumeSource): string {
  const stat = () => statSync(path, { throwIfNoEntry: false })
  if (type === 'DirectoryOrCreate' && !stat()) mkdirSync(path, { recursive: true, mode: 0o755 })
  if (type === 'FileOrCreate' && !stat()) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, '', { mode: 0o644 })
  }
  const found = stat()
  const fits = {
    ...{ '': true, Directory: found?.isDirectory(), DirectoryOrCreate: found?.isDirectory() },
    ...{ File: found?.isFile(), FileOrCreate: found?.isFile(), Socket: found?.isSocket() },
    ...{ CharDevice: found?.isCharacterDevice(), BlockDevice: found?.isBlockDevice() },
  }[type]
  if (fits) return path
  throw new VolumeError(`hostPath type check failed: ${path} is not a ${type}`)
}

/** What is mounted into a container. @throws VolumeError for a part of a volume that leads out of it. */
export function mountsOf(
  container: Pick<Container, 'volumeMounts'>,
  paths: VolumePaths,
  environment: ReadonlyMap<string, string>,
  volumes: readonly Volume[],
): readonly Mount[] {
  const fixed = new Set(volumes.filter(isReadonly).map(({ name }) => name))
  return (container.volumeMounts ?? []).map((mount) => {
    const { name, mountPath, readOnly = false, subPath = '', subPathExpr } = mount
    const volume = paths.get(name)
    if (volume === undefined) throw new VolumeError(`volume "${name}" is not there`)
    const part = subPathExpr === undefined ? subPath : expand(subPathExpr, environment)
    const place = part === '' ? { hostPath: volume } : partOf(volume, inside(part))
    return { ...place, containerPath: mountPath, readonly: readOnly || fixed.has(name) }
  })
}
