/** The objects that a pod names, without those that its volumes lead to. */
import type { Container, EphemeralContainer } from '../../generated/apis/core/v1/container.ts'
import type { PodSpec } from '../../generated/apis/core/v1/pod.ts'
import type { Volume } from '../../generated/apis/core/v1/volume.ts'
import { claimNameOf } from './volume-claims.ts'

type AnyContainer = Container | EphemeralContainer

/** The names of secrets that a pod refers to, in all its containers and volumes. */
export function podSecretNames(spec: Partial<PodSpec>): readonly string[] {
  const names = [
    ...(spec.imagePullSecrets ?? []).map(({ name }) => name),
    ...allContainers(spec).flatMap(({ env = [], envFrom = [] }) => [
      ...envFrom.map(({ secretRef }) => secretRef?.name),
      ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
    ]),
    ...(spec.volumes ?? []).flatMap(volumeSecrets),
  ]
  return names.filter((name) => name !== undefined && name !== '') as readonly string[]
}

/** The names of config maps that a pod refers to. */
export function podConfigMapNames(spec: Partial<PodSpec>): readonly string[] {
  const names = [
    ...allContainers(spec).flatMap(({ env = [], envFrom = [] }) => [
      ...envFrom.map(({ configMapRef }) => configMapRef?.name),
      ...env.map(({ valueFrom }) => valueFrom?.configMapKeyRef?.name),
    ]),
    ...(spec.volumes ?? []).flatMap(({ configMap, projected }) => [
      configMap?.name,
      ...(projected?.sources ?? []).map((source) => source.configMap?.name),
    ]),
  ]
  return names.filter((name) => name !== undefined && name !== '') as readonly string[]
}

/** The names of volume claims that a pod refers to, those that are made for it among them. */
export function podClaimNames(spec: Partial<PodSpec>, podName: string): readonly string[] {
  return (spec.volumes ?? []).flatMap((volume) => claimNameOf(volume, podName) || [])
}

function allContainers(spec: Partial<PodSpec>): readonly AnyContainer[] {
  const { initContainers = [], containers = [], ephemeralContainers = [] } = spec
  return [...initContainers, ...containers, ...ephemeralContainers]
}

function volumeSecrets(volume: Volume): readonly (string | undefined)[] {
  const { azureFile, cephfs, cinder, flexVolume, projected, rbd, secret } = volume
  const { scaleIO, iscsi, storageos, csi } = volume
  return [
    azureFile?.secretName,
    cephfs?.secretRef?.name,
    cinder?.secretRef?.name,
    flexVolume?.secretRef?.name,
    ...(projected?.sources ?? []).map((source) => source.secret?.name),
    rbd?.secretRef?.name,
    secret?.secretName,
    scaleIO?.secretRef?.name,
    iscsi?.secretRef?.name,
    storageos?.secretRef?.name,
    csi?.nodePublishSecretRef?.name,
  ]
}
