import { convertImage } from '#vm/image-store/inspect/convert-image';

/** Program that a test traces: converts images, and prints what is wrong with each. */
const [, , target = '', ...images] = process.argv;
const MIB = 2 ** 20;
const limits = { virtualBytes: 1024 * MIB, fileBytes: 64 * MIB };
const problems: string[] = [];
for (const image of images) {
  const problem = await convertImage(image, target, limits, new AbortController().signal).then(
    () => 'converted',
    (error: Error) => error.message,
  );
  problems.push(problem);
}
process.stdout.write(JSON.stringify(problems));
