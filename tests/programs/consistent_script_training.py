"""A training loop, eager and compiled, as scripts compare them: nothing differs."""

import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))

    def forward(self, x):
        return self.body(x).squeeze(-1)


def train(compiled):
    torch.manual_seed(0)
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    step = torch.compile(model) if compiled else model
    for _ in range(2):
        x = torch.randn(16, 8)
        loss = torch.nn.functional.mse_loss(step(x), x.sum(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


assert abs(train(False) - train(True)) < 1e-4
