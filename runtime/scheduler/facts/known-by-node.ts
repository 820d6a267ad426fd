import type { Node } from '../../../generated/apis/core/v1/node.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import type { PodClass } from './pod-class.ts'

/** What is found for pods of a class and a node, and remembered while the node stays as it is; `facts` never change. */
export function knownByNode<T extends object | string, A extends readonly unknown[] = []>(
  find: (pods: PodClass, node: Stored<Node>, ...facts: A) => T,
): (pods: PodClass, node: Stored<Node>, ...facts: A) => T {
  const known = new WeakMap<PodClass, WeakMap<Stored<Node>, T>>()
  return (pods, node, ...facts) => {
    const byNode = known.get(pods) ?? new WeakMap<Stored<Node>, T>()
    const found = byNode.get(node) ?? find(pods, node, ...facts)
    known.set(pods, byNode.set(node, found))
    return found
  }
}
