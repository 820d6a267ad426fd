/** Pulls images, so many at a time, with the credentials that there are for them. */
import { readFileSync } from 'node:fs'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type {
  ContainerRuntime,
  ImageCredentials,
} from '../../container-runtime/container-runtime.ts'
import type { Clock } from '../../kernel/async/clock.ts'
import { createTokenBucket } from '../../kernel/async/token-bucket.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { specOf } from '../../pods/pods.ts'
import type { ConfigObjects } from '../containers/config-objects.ts'
import type { ProviderCredentials } from './credential-providers.ts'
import {
  credentialsFor,
  credentialsOfFile,
  credentialsOfSecret,
  type RegistryCredentials,
} from './credentials.ts'
import { type ImageName, imageNameOf } from './registry-match.ts'

/** How images are pulled. */
export interface ImagePullerOptions {
  readonly runtime: Pick<ContainerRuntime, 'pullImage'>
  readonly objects: ConfigObjects
  /** Files of credentials of the node; those that are not there are passed over. */
  readonly files: readonly string[]
  readonly providers: ProviderCredentials | undefined
  /** How many are pulled at once. */
  readonly atOnce: number
  /** How many a second may be begun, after a first so many; 0 sets no limit. */
  readonly perSecond: number
  readonly burst: number
  readonly clock: Clock
}

/** Pulls images for pods. */
export interface ImagePuller {
  /** @throws what the registry says, or that there were too many pulls. */
  pull(pod: Stored<Pod>, reference: string): Promise<void>
}

/** Pulls by the runtime. */
export function createImagePuller(options: ImagePullerOptions): ImagePuller {
  const { runtime, objects, files, providers, clock } = options
  const { atOnce, perSecond, burst } = options
  const take = perSecond > 0 ? createTokenBucket({ perSecond, burst }, clock) : () => 0
  const waiting: (() => void)[] = []
  let running = 0

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= atOnce) await new Promise<void>((go) => waiting.push(go))
    else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running--
      else next()
    }
  }

  return {
    async pull(pod, reference) {
      const name = imageNameOf(reference)
      if (take() > 0) throw new Error('pull QPS exceeded')
      const known = name === undefined ? [] : await credentialsOf(pod, name)
      await inTurn(() => tryAll(reference, known))
    },
  }

  /** With each of the credentials until one is taken; without any where there are none. */
  async function tryAll(reference: string, known: readonly ImageCredentials[]): Promise<void> {
    const failures: unknown[] = []
    for (const one of known.length > 0 ? known : [undefined]) {
      try {
        await runtime.pullImage(reference, one)
        return
      } catch (error) {
        failures.push(error)
      }
    }
    throw failures.at(-1)
  }

  async function credentialsOf(
    pod: Stored<Pod>,
    name: ImageName,
  ): Promise<readonly ImageCredentials[]> {
    const ofSecrets: RegistryCredentials[] = []
    for (const { name: secret = '' } of specOf(pod).imagePullSecrets ?? []) {
      const found = await objects.secret(pod.metadata.namespace, secret).catch(() => undefined)
      if (found !== undefined) ofSecrets.push(credentialsOfSecret(found))
    }
    const ofNode = files.map((file) => credentialsOfFile(textOf(file)))
    const provided = (await providers?.for(name)) ?? []
    return credentialsFor(name, [...ofSecrets.flat(), ...ofNode.flat(), ...provided])
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
