import crownhead

agent = crownhead.Agent.load("english")
game = crownhead.Game("english")
print(*[move.text for move in game.legal_moves])
while game.status == "ongoing":
    agent.play(game, nodes=1000)
print(game.pdn(White="crownhead", Black="crownhead"))
