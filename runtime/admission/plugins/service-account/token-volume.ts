/** The volume that gives the containers of a pod a token of its account, the authorities of the server, and its namespace. */
import type { VolumeMount } from '../../../../generated/apis/core/v1/container.ts'
import type { Volume } from '../../../../generated/apis/core/v1/volume.ts'
import type { Random } from '../../../kernel/async/clock.ts'
import type { Platform } from '../../../kernel/descriptors/platform.ts'
import { generateObjectName } from '../../../kernel/meta/names.ts'
import type { ApiObject } from '../../../kernel/meta/object.ts'
import {
  type Container,
  containersOf,
  podSpecOf,
  withContainers,
  withPodSpec,
} from '../pods/pod-spec.ts'

/** Seconds of the token: pods that read it once go on for a year, which is recorded. */
const tokenSeconds = 3607

/** What the names of the volume are made of. */
export interface TokenVolumeNames {
  readonly platform: Pick<Platform, 'prefix' | 'domain'>
  readonly random: Random
}

/**
 * The pod with the volume, mounted in every container that has nothing else in its place. A volume that is there by its name is
 * used; the same pod if no container needs one.
 */
export function withTokenVolume(
  pod: ApiObject,
  { platform: { prefix, domain }, random }: TokenVolumeNames,
): ApiObject {
  const mountPath = `/var/run/secrets/${domain}/serviceaccount`
  const needs = ({ volumeMounts = [] }: Container): boolean =>
    (volumeMounts ?? []).every((mount) => mount.mountPath !== mountPath)
  const spec = podSpecOf(pod)
  if (!containersOf(spec).some(needs)) return pod
  const begins = `${prefix}-api-access-`
  const volumes = spec.volumes ?? []
  const known = volumes.find(({ name }) => name.startsWith(begins))?.name
  const name = known ?? generateObjectName(begins, random)
  const mount: VolumeMount = { name, readOnly: true, mountPath }
  const mounted = withContainers(pod, (container) =>
    needs(container)
      ? { ...container, volumeMounts: [...(container.volumeMounts ?? []), mount] }
      : container,
  )
  if (known !== undefined) return mounted
  return withPodSpec(mounted, { volumes: [...volumes, tokenVolume(name, prefix)] })
}

function tokenVolume(name: string, prefix: string): Volume {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: tokenSeconds, path: 'token' } },
        {
          configMap: {
            name: `${prefix}-root-ca.crt`,
            items: [{ key: 'ca.crt', path: 'ca.crt' }],
          },
        },
        {
          downwardAPI: {
            items: [
              {
                path: 'namespace',
                fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' },
              },
            ],
          },
        },
      ],
      defaultMode: 0o644,
    },
  } as Volume
}
