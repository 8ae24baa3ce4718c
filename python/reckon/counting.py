"""How much a PyTorch network computes, counted by the layers themselves. For `describe` of a job."""

import math


def amounts(network, images):
    """Of one image of the batch `images`, forwards: multiply-adds of convolutions and linear layers,
    numbers that these give, and the network's parameters. Other kinds of layers count as nothing.

        print(json.dumps(reckon.amounts(network, torch.zeros(1, 3, 32, 32))))
    """
    import torch  # pylint: disable=import-outside-toplevel  # scripts of other frameworks lack it

    counted = {"multiply_adds": 0, "activations": 0}

    def count(layer, _, out):
        # Every number that comes out is a sum of so many products.
        products = math.prod(layer.weight.shape[1:])
        counted["multiply_adds"] += out.numel() * products
        counted["activations"] += out.numel()

    # pylint: disable=protected-access  # the common base of all convolutions has no other name
    kinds = (torch.nn.Linear, torch.nn.modules.conv._ConvNd)
    layers = [layer for layer in network.modules() if isinstance(layer, kinds)]
    hooks = [layer.register_forward_hook(count) for layer in layers]
    training = network.training
    try:
        network.eval()
        with torch.no_grad():
            network(images)
    finally:
        network.train(training)
        for hook in hooks:
            hook.remove()
    told = {name: value / len(images) for name, value in counted.items()}
    told["parameters"] = sum(parameter.numel() for parameter in network.parameters())
    return told
