/** The pods that wipe volumes, as the files of an administrator say or as they are by themselves. */
import { readFile } from 'node:fs/promises'
import { type Pod, pods } from '../../../../generated/apis/core/v1/pod.ts'
import type { PersistentVolumeRecyclerConfiguration } from '../../../../generated/config/manager/v1alpha1.ts'
import { errorText } from '../../../kernel/errors/error-text.ts'
import { decodeYaml, readObject } from '../../../serializer/serializer.ts'

/** What a volume is that can be wiped. */
export type WipedSource = 'hostPath' | 'nfs'

/** A pod whose first volume becomes the one that it wipes. */
export interface WiperTemplate {
  readonly metadata: NonNullable<Pod['metadata']>
  readonly spec: NonNullable<Pod['spec']>
}

/** The pods of both sources, and what is wrong with the files that say them. */
export interface WiperTemplates {
  readonly templates: Readonly<Record<WipedSource, WiperTemplate>>
  readonly problems: readonly string[]
}

const empty = 'find /scrub -mindepth 1 -delete && test -z "$(ls -A /scrub)"'

const usual: WiperTemplate = {
  metadata: {},
  spec: {
    restartPolicy: 'Never',
    volumes: [{ name: 'vol' }],
    containers: [
      {
        ...{ name: 'pv-recycler', image: 'busybox:1.36', command: ['/bin/sh'] },
        args: ['-c', `test -e /scrub && ${empty} || exit 1`],
        volumeMounts: [{ name: 'vol', mountPath: '/scrub' }],
      },
    ],
  },
}

/** Reads the templates that a configuration names. */
export async function wiperTemplates({
  PodTemplateFilePathHostPath,
  PodTemplateFilePathNFS,
}: PersistentVolumeRecyclerConfiguration): Promise<WiperTemplates> {
  const [hostPath, nfs] = await Promise.all([
    templateOf(PodTemplateFilePathHostPath),
    templateOf(PodTemplateFilePathNFS),
  ])
  return {
    templates: { hostPath: hostPath.template, nfs: nfs.template },
    problems: [...new Set([...hostPath.problems, ...nfs.problems])],
  }
}

async function templateOf(
  file: string,
): Promise<{ readonly template: WiperTemplate; readonly problems: readonly string[] }> {
  if (file === '') return { template: usual, problems: [] }
  const refused = (...problems: readonly string[]) => ({
    template: usual,
    problems: problems.map((one) => `the pod that wipes volumes: ${one}`),
  })
  try {
    const { value, duplicates } = await decodeYaml(await readFile(file))
    const { object, report } = readObject(pods, value)
    const wrong = [
      ...duplicates,
      ...report.unknownFields.map((path) => `${path}: unknown field`),
      ...[...report.typeErrors, ...report.errors].map(({ path, message }) => `${path}: ${message}`),
    ]
    if (wrong.length > 0) return refused(...wrong.map((one) => `${file}: ${one}`))
    const { metadata = {}, spec } = object
    if (spec?.volumes === undefined || spec.volumes.length === 0) {
      const why = 'Required value: the first one becomes the volume that is wiped'
      return refused(`${file}: spec.volumes: ${why}`)
    }
    return { template: { metadata, spec }, problems: [] }
  } catch (error) {
    return refused(`${file}: ${errorText(error)}`)
  }
}
