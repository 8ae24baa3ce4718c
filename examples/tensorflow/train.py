#!/usr/bin/env python3
"""Data-parallel training with TensorFlow's MultiWorkerMirroredStrategy on generated images.

Takes its place in the job from TF_CONFIG. Tells Reckon how it gets on if the `reckon` package is
there, and trains the same without it.
"""

import argparse
import contextlib
import json
import os
import sys
import time

try:
    import numpy as np
    import tensorflow as tf
except ImportError as problem:
    sys.exit("train.py: %s; install TensorFlow, for example: pip install tensorflow" % problem)

try:
    import reckon
except ImportError:  # the same calls, without a listener

    class reckon:  # pylint: disable=invalid-name
        @staticmethod
        def stage(*_, **__):
            return contextlib.nullcontext()

        @staticmethod
        def ignore(*_, **__):
            pass

        step = metric = progress = ignore


CLASSES = 10


def place():
    """(this worker's index, number of workers), from TF_CONFIG."""
    text = os.environ.get("TF_CONFIG", "")
    if not text:
        return 0, 1
    try:
        config = json.loads(text)
        task, workers = config["task"], config["cluster"]["worker"]
        if task["type"] != "worker" or not 0 <= int(task["index"]) < len(workers):
            raise ValueError("the task is none of the workers")
        return int(task["index"]), len(workers)
    except (ValueError, KeyError, TypeError) as problem:
        sys.exit("train.py: TF_CONFIG is not a cluster of workers: %s" % problem)


def generate(count, seed):
    """Images of one pattern a class under noise: a small network learns them in two epochs."""
    patterns = np.random.default_rng(1).standard_normal((CLASSES, 28, 28, 1), dtype=np.float32)
    rng = np.random.default_rng(seed)
    labels = rng.integers(CLASSES, size=count)
    images = patterns[labels] + 1.5 * rng.standard_normal((count, 28, 28, 1), dtype=np.float32)
    return images, labels.astype(np.int32)


def make_network():
    tf.random.set_seed(0)
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            tf.keras.Input((28, 28, 1)),
            layers.Conv2D(16, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(32, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(CLASSES),
        ]
    )


def share(strategy, images, labels, batch, shuffle):
    """The batches of this worker, without end: each has all images, and takes its part of them."""

    def make(context):
        data = tf.data.Dataset.from_tensor_slices((images, labels))
        data = data.shard(context.num_input_pipelines, context.input_pipeline_id)
        if shuffle:
            data = data.shuffle(len(images), seed=3)
        return data.batch(batch, drop_remainder=True).repeat().prefetch(2)

    return iter(strategy.distribute_datasets_from_function(make))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--images", type=int, default=2048, help="for all workers together")
    parser.add_argument("--batch", type=int, default=32, help="for each worker")
    parser.add_argument("--rate", type=float, default=0.05)
    options = parser.parse_args()
    rank, ranks = place()
    steps = options.images // ranks // options.batch
    if steps == 0:
        sys.exit("train.py: --images %d is less than one batch a worker" % options.images)

    with reckon.stage("train"):
        # Before anything else of TensorFlow: it connects the workers.
        strategy = tf.distribute.MultiWorkerMirroredStrategy()
        data = share(strategy, *generate(options.images, 2), options.batch, shuffle=True)
        unseen_steps = max(steps // 8, 1)
        unseen_count = unseen_steps * options.batch * ranks
        unseen = share(strategy, *generate(unseen_count, 4), options.batch, shuffle=False)
        with reckon.stage("fit"):
            with strategy.scope():
                network = make_network()
                optimiser = tf.keras.optimizers.SGD(options.rate, momentum=0.9)

            def learn(images, labels):
                with tf.GradientTape() as tape:
                    logits = network(images, training=True)
                    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
                    # Gradients are added over workers, so each contributes its part of the mean.
                    loss = tf.reduce_sum(losses) / (options.batch * ranks)
                gradients = tape.gradient(loss, network.trainable_variables)
                optimiser.apply_gradients(zip(gradients, network.trainable_variables))
                return loss

            def count_right(images, labels):
                found = tf.argmax(network(images, training=False), axis=1, output_type=tf.int32)
                return tf.reduce_sum(tf.cast(found == labels, tf.float32))

            @tf.function
            def train_step(batch):
                losses = strategy.run(learn, args=batch)
                return strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)

            @tf.function
            def validate_step(batch):
                right = strategy.run(count_right, args=batch)
                return strategy.reduce(tf.distribute.ReduceOp.SUM, right, axis=None)

            with reckon.stage("training_loop"):
                for epoch in range(options.epochs):
                    with reckon.stage("train_epoch", epoch=epoch):
                        begin = time.perf_counter()
                        for step in range(steps):
                            loss = float(train_step(next(data)))  # waits until the step is done
                            end = time.perf_counter()
                            reckon.step(compute_s=end - begin, epoch=epoch)
                            begin = end
                            done = epoch * steps + step + 1
                            reckon.progress(done, options.epochs * steps, unit="steps")
                    with reckon.stage("validate_epoch", epoch=epoch):
                        right = sum(float(validate_step(next(unseen))) for _ in range(unseen_steps))
                        accuracy = right / unseen_count
                    if rank == 0:
                        reckon.metric("loss", loss, epoch=epoch)
                        reckon.metric("accuracy", accuracy, epoch=epoch)
                        line = "epoch %d: loss %.3f, accuracy %.3f" % (epoch, loss, accuracy)
                        print(line, flush=True)


if __name__ == "__main__":
    main()
