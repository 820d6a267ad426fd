import type { Pod } from '../../../generated/apis/core/v1/pod.ts'

/** The names of the containers of a pod. */
export interface ContainerSpecs {
  readonly name: string
  readonly containers: readonly string[]
  readonly initContainers: readonly string[]
  readonly ephemeralContainers: readonly string[]
  readonly defaultContainer: string | undefined
}

/** Reads the names of the containers of a pod; `client` is the word of the annotation that chooses one. */
export function containerSpecs({ metadata, spec }: Pod, client: string): ContainerSpecs {
  const names = (list: readonly { readonly name: string }[] | undefined): readonly string[] =>
    (list ?? []).map(({ name }) => name)
  return {
    name: metadata?.name ?? '',
    containers: names(spec?.containers),
    initContainers: names(spec?.initContainers),
    ephemeralContainers: names(spec?.ephemeralContainers),
    defaultContainer: metadata?.annotations?.[`${client}/default-container`],
  }
}
