/** The controllers of definitions, with what makes kinds of them: 0.3 MB that a server without definitions does not load. */
export const loadDefinitionControllers = () => import('./custom-resources.ts')
