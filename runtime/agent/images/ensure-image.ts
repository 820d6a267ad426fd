import type { Container } from '../../../generated/apis/core/v1/container.ts'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { ContainerRuntime } from '../../container-runtime/container-runtime.ts'
import type { Clock } from '../../kernel/async/clock.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { StartProblem } from '../containers/start-problem.ts'
import type { ImagePuller } from './image-puller.ts'
import { imageNameOf } from './registry-match.ts'

/** What images are looked for and pulled with. */
export interface ImageFacts {
  readonly runtime: Pick<ContainerRuntime, 'imageStatus'>
  readonly images: ImagePuller
  readonly clock: Clock
  tell(reason: string, message: string): void
}

/** Sees to it that the image of a container is there. @throws StartProblem. */
export async function ensureImage(
  pod: Stored<Pod>,
  { image = '', imagePullPolicy = 'IfNotPresent' }: Pick<Container, 'image' | 'imagePullPolicy'>,
  { runtime, images, clock, tell }: ImageFacts,
): Promise<void> {
  const quoted = JSON.stringify(image)
  if (imageNameOf(image) === undefined) {
    const why = `Failed to apply default image tag ${quoted}: couldn't parse image name ${quoted}: invalid reference format`
    throw new StartProblem('InvalidImageName', why)
  }
  if (imagePullPolicy !== 'Always' && (await isThere()) !== undefined) {
    tell('Pulled', `Container image ${quoted} already present on machine`)
    return
  }
  if (imagePullPolicy === 'Never') {
    const why = `Container image ${quoted} is not present with pull policy of Never`
    throw new StartProblem('ErrImageNeverPull', why)
  }
  tell('Pulling', `Pulling image ${quoted}`)
  const began = clock.monotonic()
  try {
    await images.pull(pod, image)
  } catch (error) {
    throw new StartProblem('ErrImagePull', errorText(error))
  }
  const ms = Math.round(clock.monotonic() - began)
  tell('Pulled', `Successfully pulled image ${quoted} in ${ms}ms (${ms}ms including waiting)`)

  async function isThere() {
    try {
      return await runtime.imageStatus(image)
    } catch (error) {
      const why = `Failed to inspect image ${quoted}: ${errorText(error)}`
      throw new StartProblem('ImageInspectError', why)
    }
  }
}
