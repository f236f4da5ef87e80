import type { KubeObject } from '#platform/kube/kube-object';

/** Converts objects of any version to another version of the same kind. */
export type Convert = (
  objects: readonly KubeObject[],
  apiVersion: string,
) => readonly KubeObject[] | Promise<readonly KubeObject[]>;

/** Implements the conversion strategy None: all versions have the same fields, and only apiVersion changes. */
export const renameVersion: Convert = (objects, apiVersion) =>
  objects.map((object) => (object.apiVersion === apiVersion ? object : { ...object, apiVersion }));
